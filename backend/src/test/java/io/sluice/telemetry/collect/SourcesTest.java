package io.sluice.telemetry.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What each vendor's tool is asked, and what becomes of half an answer: with programs that print what files hold. */
class SourcesTest {
    private static final String CARD = """
            | %d     910B9               | %s            | 101.5       48                 0    / 0   |
            | 0                    | 0000:C%d:00.0  | 63          0    / 0          20480/ 65536|
            +======================+===============+==========================================+
            """;
    private static final String HEAD = """
            | npu-smi 24.9.9                   Version: 24.9.9                                |
            +----------------------+---------------+------------------------------------------+
            | NPU   Name           | Health        | Power(W)    Temp(C)    Hugepages-Usage(page)|
            | Chip                 | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)|
            +======================+===============+==========================================+
            """;
    private static final String PROCESSES = """
            | NPU     Chip         | Process id    | Process name      | Process memory(MB)   |
            +======================+===============+==========================================+
            """;
    private static final String NOBODY = """
            | No running processes found in NPU %d                                             |
            +======================+===============+==========================================+
            """;
    private static final String DIVIDED = """
            <?xml version="1.0" ?>
            <nvidia_smi_log><driver_version>590.1</driver_version>
            <gpu id="00000000:01:00.0"><uuid>GPU-a</uuid><product_name>H100</product_name><mig_mode><current_mig>Enabled</current_mig></mig_mode>
            <mig_devices>
            <mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id>
            <fb_memory_usage><total>40000 MiB</total><used>100 MiB</used></fb_memory_usage></mig_device>
            <mig_device><index>1</index><gpu_instance_id>2</gpu_instance_id><compute_instance_id>0</compute_instance_id>
            <fb_memory_usage><total>40000 MiB</total><used>200 MiB</used></fb_memory_usage></mig_device>
            </mig_devices>
            <processes><process_info><gpu_instance_id>2</gpu_instance_id><compute_instance_id>0</compute_instance_id><pid>77</pid>
            <process_name>train</process_name><used_memory>150 MiB</used_memory></process_info></processes></gpu>
            <gpu id="00000000:02:00.0"><uuid>GPU-b</uuid><product_name>H100</product_name></gpu>
            </nvidia_smi_log>
            """;

    @TempDir
    private Path folder;

    /** Its first argument but for dashes, with the others, is the name of the file that it prints; what is not there fails. */
    private Source.Ground tool(String name) throws IOException {
        Path draft = Files.createTempFile(folder, "draft", "");
        Files.writeString(
                draft,
                "#!/bin/sh\nname=$(echo \"$*\" | sed 's/=[^ ]*//g; s/[^a-zA-Z0-9]//g')\ncat \"$0.$name\" 2>/dev/null\n");
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(draft, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        return new Source.Ground(List.of(folder), Duration.ofSeconds(5));
    }

    private void says(String tool, String arguments, String text) throws IOException {
        Path file = folder.resolve(tool + "." + arguments);
        if (text.isEmpty()) {
            Files.deleteIfExists(file);
        } else {
            Files.writeString(file, text);
        }
    }

    private static Reading of(Told told, String id) {
        return told.readings().stream()
                .filter(reading -> reading.identity().id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError(id + " is not in " + told));
    }

    private static Known.Device of(Rounds rounds, String id) {
        return Objects.requireNonNull(rounds.devices().get(id));
    }

    @Test
    void a_card_that_drops_out_takes_no_other_card_s_number() throws Exception {
        var source = new AscendSource(tool("npu-smi"));
        String all = HEAD + CARD.formatted(0, "OK", 0) + CARD.formatted(1, "OK", 1) + CARD.formatted(2, "OK", 2);
        says("npu-smi", "info", all);
        assertThat(source.read().readings())
                .extracting(reading -> reading.identity().index())
                .containsExactly(0, 1, 2);
        says("npu-smi", "info", HEAD + CARD.formatted(0, "OK", 0) + CARD.formatted(2, "OK", 2));
        Told two = source.read();
        assertThat(of(two, "ascend-0000:C2:00.0").identity().index()).isEqualTo(2);
    }

    @Test
    void two_chips_of_a_card_have_the_numbers_that_the_mapping_gives_them() throws Exception {
        var source = new AscendSource(tool("npu-smi"));
        says("npu-smi", "infom", """
                NPU ID                         Chip ID                        Chip Logic ID                  Chip Name
                4                              0                              6                              Ascend xxx
                4                              1                              7                              Ascend xxx
                4                              2                              -                              Mcu
                """);
        says(
                "npu-smi",
                "info",
                HEAD
                        + CARD.formatted(4, "OK", 1)
                        + CARD.formatted(4, "OK", 2).replace("| 0           ", "| 1           "));
        assertThat(source.read().readings())
                .extracting(reading -> reading.identity().index())
                .containsExactly(6, 7);
    }

    @Test
    void bandwidth_and_memory_errors_are_asked_card_by_card() throws Exception {
        var source = new AscendSource(tool("npu-smi"));
        says("npu-smi", "info", HEAD + CARD.formatted(0, "OK", 0) + CARD.formatted(1, "Warning", 1));
        says("npu-smi", "infotusagesi1", """
                    HBM Bandwidth Usage Rate(%)    : 41
                    Chip ID                        : 0
                """);
        says("npu-smi", "infotecci0", """
                    NPU ID                         : 0
                    HBM Double Bit Error Count     : 2
                    Chip ID                        : 0
                """);
        says(
                "npu-smi",
                "infothealthi1",
                "Health Status : Warning\nError Code : 80E01801\nError Information : too hot\n");
        Told told = source.read();
        Reading first = of(told, "ascend-0000:C0:00.0");
        Reading second = of(told, "ascend-0000:C1:00.0");
        assertThat(second.values().of(Metric.MEMORY_BANDWIDTH)).isEqualTo(0.41, within(1e-9));
        assertThat(first.values().has(Metric.MEMORY_BANDWIDTH)).isFalse();
        assertThat(first.uncorrected()).isEqualTo(2);
        assertThat(first.broken()).isTrue();
        assertThat(second.uncorrected()).isNull();
        assertThat(second.note()).contains("80E01801").contains("too hot");
        assertThat(of(source.read(), "ascend-0000:C0:00.0").uncorrected())
                .as("it is another card's turn, and the count holds")
                .isEqualTo(2);
    }

    @Test
    void processes_that_half_a_table_does_not_tell_of_are_not_none() throws Exception {
        var source = new AscendSource(tool("npu-smi"));
        String cards = HEAD + CARD.formatted(0, "OK", 0) + CARD.formatted(1, "OK", 1);
        says("npu-smi", "info", cards + PROCESSES + NOBODY.formatted(0) + NOBODY.formatted(1));
        assertThat(of(source.read(), "ascend-0000:C1:00.0").occupants()).isEmpty();
        for (String half : List.of(cards, cards + PROCESSES + NOBODY.formatted(0))) {
            says("npu-smi", "info", half);
            Told told = source.read();
            assertThat(told.readings()).hasSize(2);
            assertThat(of(told, "ascend-0000:C1:00.0").occupants()).isNull();
        }
        says("npu-smi", "info", cards);
        assertThat(source.read().troubles()).extracting(Trouble::reason).containsExactly(Reason.CUT_OFF);
        String row = "| 0       0            | 4321          | python3           | 19000                |\n";
        says("npu-smi", "info", cards + PROCESSES + row);
        assertThat(of(source.read(), "ascend-0000:C0:00.0").occupants())
                .as("there may have been more")
                .isNull();
    }

    @Test
    void half_a_list_costs_a_sample_and_what_a_whole_one_does_not_name_is_lost() throws Exception {
        var source = new AscendSource(tool("npu-smi"));
        var rounds = new Rounds("ascend");
        String cards = HEAD + CARD.formatted(0, "OK", 0) + CARD.formatted(1, "OK", 1);
        says("npu-smi", "info", cards);
        rounds.round(source.read(), Instant.now(), 0);
        says("npu-smi", "info", cards.substring(0, cards.indexOf("| 0                    | 0000:C1")));
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(of(rounds, "ascend-0000:C1:00.0").current()).isFalse();
        assertThat(of(rounds, "ascend-0000:C1:00.0").fault()).isNull();
        rounds.round(source.read(), Instant.now(), 0);
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(of(rounds, "ascend-0000:C1:00.0").fault())
                .as("three in a row")
                .startsWith("Lost since");
        says("npu-smi", "info", cards);
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(of(rounds, "ascend-0000:C1:00.0").fault()).isNull();
        says("npu-smi", "info", HEAD + CARD.formatted(0, "OK", 0));
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(of(rounds, "ascend-0000:C1:00.0").fault()).startsWith("Lost since");
    }

    private NvidiaSource divided() throws IOException {
        var source = new NvidiaSource(tool("nvidia-smi"));
        says(
                "nvidia-smi",
                "helpquerygpu",
                "\"index\" \"uuid\" \"name\" \"pci.bus_id\" \"mig.mode.current\" \"memory.used\"");
        says("nvidia-smi", "querygpuformat", """
                index, uuid, pci.bus_id, name, mig.mode.current, memory.used [MiB]
                0, GPU-a, 00000000:01:00.0, H100, Enabled, 300
                1, GPU-b, 00000000:02:00.0, H100, Disabled, 1
                """);
        says(
                "nvidia-smi",
                "querycomputeappsformat",
                "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\nGPU-a, 77, train, 150\n");
        says("nvidia-smi", "L", """
                GPU 0: H100 (UUID: GPU-a)
                  MIG 3g.40gb     Device  0: (UUID: MIG-1)
                  MIG 3g.40gb     Device  1: (UUID: MIG-2)
                GPU 1: H100 (UUID: GPU-b)
                """);
        says("nvidia-smi", "qx", DIVIDED);
        return source;
    }

    @Test
    void who_is_on_a_part_and_on_a_whole_device_beside_it_is_told() throws Exception {
        Told told = divided().read();
        assertThat(of(told, "MIG-2").occupants()).extracting(Occupant::pid).containsExactly(77L);
        assertThat(of(told, "MIG-1").occupants()).isEmpty();
        assertThat(of(told, "GPU-b").occupants())
                .as("nobody, and that is known")
                .isEmpty();
        assertThat(told.troubles()).isEmpty();
    }

    @Test
    void parts_outlive_one_call_that_fails_and_go_when_the_device_is_whole_again() throws Exception {
        var source = divided();
        var rounds = new Rounds("nvidia");
        rounds.round(source.read(), Instant.now(), 0);
        says("nvidia-smi", "qx", DIVIDED.substring(0, 900));
        says("nvidia-smi", "L", "");
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(rounds.devices()).containsOnlyKeys("MIG-1", "MIG-2", "GPU-b");
        assertThat(of(rounds, "MIG-1").fault()).isNull();
        assertThat(of(rounds, "MIG-1").current()).isFalse();
        assertThat(of(rounds, "GPU-b").current()).isTrue();
        says("nvidia-smi", "qx", DIVIDED);
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(of(rounds, "MIG-1").current()).as("still by its name").isTrue();
        says("nvidia-smi", "querygpuformat", """
                index, uuid, pci.bus_id, name, mig.mode.current, memory.used [MiB]
                0, GPU-a, 00000000:01:00.0, H100, Disabled, 300
                1, GPU-b, 00000000:02:00.0, H100, Disabled, 1
                """);
        rounds.round(source.read(), Instant.now(), 0);
        assertThat(rounds.devices()).containsOnlyKeys("GPU-a", "GPU-b");
    }

    private static final String METRIC =
            "[{\"gpu\":0,\"usage\":{\"gfx_activity\":{\"value\":40,\"unit\":\"%\"}},\"ecc\":{\"total_correctable_count\":3,\"total_uncorrectable_count\":0}}]";
    private static final String STATIC =
            "[{\"gpu\":0,\"asic\":{\"market_name\":\"MI300X\",\"asic_serial\":\"0xAB\"},\"bus\":{\"bdf\":\"0000:03:00.0\"}}]";

    @Test
    void an_amd_device_has_one_name_though_it_can_not_be_asked_at_first() throws Exception {
        var source = new AmdSource(tool("amd-smi"));
        says("amd-smi", "metricjson", METRIC);
        Told unnamed = source.read();
        assertThat(unnamed.readings()).isEmpty();
        assertThat(unnamed.troubles()).extracting(Trouble::reason).containsExactly(Reason.FAILED);
        says("amd-smi", "staticjson", STATIC);
        assertThat(of(source.read(), "amd-0xAB").health()).isEqualTo(Health.OK);
        says("amd-smi", "staticjson", "");
        says("amd-smi", "metricjson", "");
        source.read();
        says("amd-smi", "metricjson", METRIC);
        assertThat(of(source.read(), "amd-0xAB").identity().bus()).isEqualTo("0000:03:00.0");
    }

    @Test
    void an_amd_device_that_never_tells_its_name_is_known_by_its_number_for_good() throws Exception {
        var source = new AmdSource(tool("amd-smi"));
        says("amd-smi", "metricjson", METRIC);
        source.read();
        source.read();
        assertThat(of(source.read(), "amd-0").corrected()).isEqualTo(3);
        says("amd-smi", "staticjson", STATIC);
        assertThat(of(source.read(), "amd-0").identity().index()).isZero();
    }

    @Test
    void what_an_amd_tool_does_not_tell_of_health_is_not_known() throws Exception {
        var source = new AmdSource(tool("rocm-smi"));
        says("rocm-smi", "ashowmeminfoalljson", "{\"card0\": {\"GPU use (%)\": \"5\", \"Unique ID\": \"0x1\"}}");
        Told untold = source.read();
        assertThat(of(untold, "amd-0x1").health()).isEqualTo(Health.UNKNOWN);
        assertThat(of(untold, "amd-0x1").occupants()).isNull();
        says("rocm-smi", "showpidsjson", "{\"system\": {\"PID9\": \"train, 1, 2048, 0, 0\"}}");
        assertThat(of(source.read(), "amd-0x1").occupants()).containsExactly(new Occupant(9, "train", 2048));
        says(
                "rocm-smi",
                "ashowmeminfoalljson",
                "{\"card0\": {\"Unique ID\": \"0x1\"}, \"card1\": {\"Unique ID\": \"0x2\"}}");
        assertThat(of(source.read(), "amd-0x2").occupants())
                .as("it does not say on which of the two")
                .isNull();
    }
}
