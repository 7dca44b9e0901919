package io.sluice.telemetry.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The collector with programs in the place of the vendors' tools: shell scripts that print, fail, hang and hold on. */
class ToolsTest {
    private static final String GOOD = """
            #!/bin/sh
            case "$*" in
              *help-query*) echo '"index" "uuid" "name" "pci.bus_id" "utilization.gpu" "memory.used" "memory.total"' ;;
              *compute*) [ ! -e "$0.busy" ] || echo 'GPU-a, 1, init, 7' ;;
              *) cat "$0.out" ;;
            esac
            """;
    private static final String NAMES =
            "index, uuid, pci.bus_id, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n";
    private static final String TWO =
            NAMES + "0, GPU-a, 00000000:01:00.0, H20, 5, 1, 100\n1, GPU-b, 00000000:02:00.0, H20, 7, 1, 100\n";

    @TempDir
    private Path folder;

    private Path program(String name, String text) throws IOException {
        Path draft = Files.createTempFile(folder, "draft", "");
        Files.writeString(draft, text);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Files.move(draft, folder.resolve(name), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    private DeviceWatch watch() {
        return DeviceWatch.open(
                new DeviceWatch.Settings(List.of(folder), Duration.ofMillis(20), Duration.ofMillis(400)),
                new CollectorRegistry());
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("it takes too long").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static Known.Device device(Map<String, Known.Device> devices, String id) {
        return Objects.requireNonNull(devices.get(id));
    }

    private static List<String> faults(DeviceWatch watch) {
        return watch.devices().stream()
                .map(device -> device.fault() == null ? "" : device.fault())
                .toList();
    }

    @Test
    void devices_are_there_after_the_first_round_and_a_machine_without_tools_has_none() throws Exception {
        var none = watch();
        none.settled(Duration.ofSeconds(5));
        assertThat(none.devices()).isEmpty();
        none.close();
        program("nvidia-smi", GOOD);
        Files.writeString(folder.resolve("nvidia-smi.out"), TWO);
        var watch = watch();
        watch.settled(Duration.ofSeconds(5));
        assertThat(watch.devices()).extracting(Device::id).containsExactly("GPU-a", "GPU-b");
        assertThat(watch.now().vendors())
                .singleElement()
                .satisfies(vendor -> assertThat(vendor.up()).isTrue());
        watch.close();
    }

    @Test
    void a_device_that_is_lost_is_faulty_until_it_returns_even_under_another_index() throws Exception {
        program("nvidia-smi", GOOD);
        Path out = folder.resolve("nvidia-smi.out");
        Files.writeString(out, TWO);
        var watch = watch();
        until(() -> watch.devices().size() == 2);
        replace(
                out,
                "Unable to determine the device handle for GPU1: 0000:02:00.0: Unknown Error\n" + NAMES
                        + "0, GPU-a, 00000000:01:00.0, H20, 5, 1, 100\n");
        until(() -> !faults(watch).get(1).isEmpty());
        assertThat(faults(watch).get(0)).isEmpty();
        assertThat(faults(watch).get(1)).startsWith("Lost since").contains("device handle");
        assertThat(device(watch.now().devices(), "GPU-b").current()).isFalse();
        replace(
                out,
                NAMES + "1, GPU-a, 00000000:01:00.0, H20, 5, 1, 100\n0, GPU-b, 00000000:02:00.0, H20, 7, 1, 100\n");
        until(() -> faults(watch).stream().allMatch(String::isEmpty));
        assertThat(watch.devices()).extracting(Device::id).containsExactly("GPU-b", "GPU-a");
        watch.close();
    }

    @Test
    void a_round_that_fails_costs_its_sample_and_only_three_in_a_row_a_device() throws Exception {
        program("nvidia-smi", GOOD);
        Path out = folder.resolve("nvidia-smi.out");
        Files.writeString(out, TWO);
        var watch = watch();
        until(() -> watch.devices().size() == 2);
        var rounds = new Rounds("nvidia");
        var good = io.sluice.telemetry.devices.NvidiaCsv.devices(TWO, null);
        var bad = io.sluice.telemetry.devices.Told.nothing(Trouble.of(Reason.DRIVER, "no driver"));
        rounds.round(good, java.time.Instant.now(), 0);
        rounds.round(bad, java.time.Instant.now(), 0);
        assertThat(device(rounds.devices(), "GPU-a").current()).isFalse();
        assertThat(device(rounds.devices(), "GPU-a").fault()).isNull();
        rounds.round(bad, java.time.Instant.now(), 0);
        rounds.round(bad, java.time.Instant.now(), 0);
        assertThat(device(rounds.devices(), "GPU-a").fault()).contains("no driver");
        rounds.round(good, java.time.Instant.now(), 0);
        assertThat(device(rounds.devices(), "GPU-a").fault()).isNull();
        watch.close();
    }

    @Test
    void a_device_is_seen_to_be_free_when_its_tool_says_that_it_is_well_and_of_no_process() {
        var rounds = new Rounds("nvidia");
        var told = io.sluice.telemetry.devices.NvidiaCsv.devices(TWO, null);
        var noon = Instant.parse("2026-01-01T12:00:00Z");
        rounds.round(told, noon, 0);
        assertThat(device(rounds.devices(), "GPU-a").checked())
                .as("one that never tells of processes")
                .isEqualTo(noon);
        var used = told.map(reading -> reading.occupants(List.of(new Reading.Occupant(7, "train", 1))));
        rounds.round(used, noon.plusSeconds(1), 0);
        rounds.round(told, noon.plusSeconds(2), 0);
        rounds.round(
                told.map(reading -> reading.occupants(List.of()).health(Reading.Health.CRITICAL, "broken", true)),
                noon.plusSeconds(3),
                0);
        rounds.round(
                io.sluice.telemetry.devices.Told.nothing(Trouble.of(Reason.DRIVER, "no driver")),
                noon.plusSeconds(4),
                0);
        assertThat(device(rounds.devices(), "GPU-a").checked())
                .as("used, not told of, broken, silent")
                .isEqualTo(noon);
        rounds.round(told.map(reading -> reading.occupants(List.of())), noon.plusSeconds(5), 0);
        assertThat(device(rounds.devices(), "GPU-a").checked()).isEqualTo(noon.plusSeconds(5));
    }

    @Test
    void a_tool_that_hangs_is_given_up_and_no_second_one_is_started_while_it_is_there() throws Exception {
        program("nvidia-smi", GOOD);
        // a child that hears no signal holds the pipe, as one in the kernel's uninterruptible sleep would
        Path hanging = program(
                "npu-smi",
                "#!/bin/sh\necho x >> \"$0.calls\"\nsetsid sh -c 'trap \"\" TERM; exec sleep 30' &\necho $! > \"$0.pid\"\nwait\n");
        Files.writeString(folder.resolve("nvidia-smi.out"), TWO);
        var watch = watch();
        until(() -> watch.now().vendors().stream()
                .anyMatch(vendor -> vendor.vendor().equals("ascend") && !vendor.up()));
        until(() -> watch.devices().size() == 2);
        var ascend = watch.now().vendors().stream()
                .filter(vendor -> vendor.vendor().equals("ascend"))
                .findFirst()
                .orElseThrow();
        assertThat(ascend.troubles()).extracting(Trouble::reason).containsExactly(Reason.HANGS);
        watch.close();
        ProcessHandle.of(Long.parseLong(
                        Files.readString(Path.of(hanging + ".pid")).strip()))
                .ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void while_one_call_can_not_be_ended_the_next_is_refused_at_once() throws Exception {
        Path holding = program(
                "held", "#!/bin/sh\necho x >> \"$0.calls\"\nsleep 30 & echo $! > \"$0.pid\"; echo done; sleep 0.2\n");
        var tool = new Tool();
        var first = tool.run(List.of(holding.toString()), Duration.ofSeconds(5));
        assertThat(first).isInstanceOfSatisfying(Tool.Ended.class, ended -> {
            assertThat(ended.output()).isEqualTo("done\n");
            assertThat(ended.whole()).isFalse();
        });
        assertThat(tool.isHeldUp()).isTrue();
        assertThat(tool.run(List.of(holding.toString()), Duration.ofSeconds(5)))
                .isInstanceOfSatisfying(
                        Tool.Not.class,
                        not -> assertThat(not.trouble().reason()).isEqualTo(Reason.HANGS));
        assertThat(Files.readAllLines(Path.of(holding + ".calls"))).hasSize(1);
        ProcessHandle.of(Long.parseLong(
                        Files.readString(Path.of(holding + ".pid")).strip()))
                .orElseThrow()
                .destroyForcibly();
        until(() -> !tool.isHeldUp());
        assertThat(tool.run(List.of("/bin/echo", "again"), Duration.ofSeconds(5)))
                .isInstanceOf(Tool.Ended.class);
    }

    @Test
    void a_tool_that_does_not_exist_or_floods_is_a_named_reason() throws Exception {
        var tool = new Tool();
        assertThat(tool.run(List.of(folder.resolve("none").toString()), Duration.ofSeconds(1)))
                .isInstanceOfSatisfying(
                        Tool.Not.class,
                        not -> assertThat(not.trouble().reason()).isEqualTo(Reason.MISSING));
        assertThat(tool.run(List.of("/bin/sh", "-c", "head -c 20000000 /dev/zero"), Duration.ofSeconds(10)))
                .isInstanceOfSatisfying(
                        Tool.Not.class,
                        not -> assertThat(not.trouble().reason()).isEqualTo(Reason.LAYOUT));
    }

    @Test
    void values_of_a_good_round_are_read_with_who_is_on_the_device() throws Exception {
        program("nvidia-smi", GOOD);
        Files.writeString(folder.resolve("nvidia-smi.out"), TWO);
        Files.writeString(folder.resolve("nvidia-smi.busy"), "");
        var watch = watch();
        until(() -> watch.devices().size() == 2);
        var reading = device(watch.now().devices(), "GPU-a").reading();
        assertThat(reading.values().of(Metric.UTILISATION)).isEqualTo(0.05);
        assertThat(reading.occupants())
                .singleElement()
                .satisfies(one -> assertThat(one.name()).isEqualTo("init"));
        assertThat(device(watch.now().devices(), "GPU-b").reading().occupants()).isEmpty();
        watch.occupied(Map.of("GPU-a", "Used by init (1)"));
        assertThat(faults(watch)).containsExactly("Used by init (1)", "");
        watch.close();
    }

    private static void replace(Path file, String text) throws IOException {
        Path draft = file.resolveSibling("next");
        Files.writeString(draft, text);
        Files.move(
                draft,
                file,
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
}
