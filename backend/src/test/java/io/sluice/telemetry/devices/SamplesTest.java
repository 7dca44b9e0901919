package io.sluice.telemetry.devices;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real tools printed, where it is at hand: each is read as what it is, and gives values or a named reason. */
@Tag("samples")
@EnabledIf("areThere")
class SamplesTest {
    private static final Path SAMPLES = Path.of("../../shared/telemetry-samples");
    /** Devices and processes of the tables, as their collectors counted them by eye. */
    private static final Map<String, List<Integer>> TABLES = Map.ofEntries(
            Map.entry("npu-smi_info_20.2.0_310x4.txt", List.of(4, 0)),
            Map.entry("npu-smi_info_21.0.4_310x4.txt", List.of(4, 0)),
            Map.entry("npu-smi_info_22.0.3.1_910Ax8.txt", List.of(8, 0)),
            Map.entry("npu-smi_info_23.0.0_310B4_alarm.txt", List.of(1, 0)),
            Map.entry("npu-smi_info_23.0.2.1_910B2Cx2_trailing-space.txt", List.of(2, 1)),
            Map.entry("npu-smi_info_23.0.5_910-warning-misaligned_mindcluster-doc.txt", List.of(2, 0)),
            Map.entry("npu-smi_info_23.0.rc3_910-busy-memory_mindcluster-doc.txt", List.of(8, 8)),
            Map.entry("npu-smi_info_24.1.0_910ProBx8_idle.txt", List.of(8, 0)),
            Map.entry("npu-smi_info_24.1.RC2_910x8_warning-and-processes.txt", List.of(8, 32)),
            Map.entry("npu-smi_info_25.2.0_A3-Ascend910_2cards-4dies.txt", List.of(4, 1)),
            Map.entry("npu-smi_info_25.3.rc1_310P3-duo_in-container_blank-process-names.txt", List.of(8, 3)),
            Map.entry("npu-smi_info_A3-in-container-2dies_mindcluster-doc.txt", List.of(2, 0)),
            Map.entry("npu-smi_info_26.1.0_910B3_5col-process-table.txt", List.of(2, 1)),
            Map.entry("npu-smi_info_99.0.rc1-synthetic_Ascend950DT.txt", List.of(2, 2)));

    private static final Path GOLDEN = Path.of("src/test/resources/telemetry/samples.txt");

    static boolean areThere() {
        return Files.isDirectory(SAMPLES);
    }

    static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.walk(SAMPLES)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().equals("INDEX.md"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void all_of_them_are_here() throws IOException {
        assertThat(all()).hasSize(152);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void a_sample_gives_values_or_a_named_reason(Path file) {
        Told told = read(file);
        String name = file.getFileName().toString();
        boolean nobody = name.contains("compute-apps")
                && text(file).lines().count() == 1
                && told.troubles().isEmpty();
        assertThat(told.isUseful() || !told.troubles().isEmpty() || nobody)
                .as("values or a reason")
                .isTrue();
        boolean meant = !name.contains("_table_")
                && !name.contains("version")
                && !name.contains("q-text")
                && !name.contains("mon_")
                && !name.contains("field")
                && !name.contains("FIELDS");
        if (meant && Stream.of("nvidia", "derived", "amd", "ascend", "other").anyMatch(folder(file)::endsWith)) {
            assertThat(told.isUseful() || nobody)
                    .as("values: " + told.troubles())
                    .isTrue();
        }
        for (Reading reading : told.readings()) {
            assertThat(reading.identity().id()).isNotBlank();
            for (Metric metric : Metric.values()) {
                double value = reading.values().of(metric);
                assertThat(Double.isNaN(value) || metric.allows(value)).isTrue();
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("all")
    void half_a_sample_gives_no_value_that_the_whole_does_not(Path file) {
        String whole = text(file);
        List<Reading> all = read(file).readings();
        Map<String, Values> known = new java.util.HashMap<>();
        all.forEach(reading -> known.put(reading.identity().id(), reading.values()));
        for (int part = 1; part < 8; part++) {
            Told half = read(file, whole.substring(0, whole.length() * part / 8));
            for (Reading reading : half.readings()) {
                Values full = known.get(reading.identity().id());
                if (full != null && known.size() == all.size()) {
                    for (Metric metric : Metric.values()) {
                        if (reading.values().has(metric)) {
                            assertThat(reading.values().of(metric))
                                    .as(metric + " of " + reading.identity().id())
                                    .isEqualTo(full.of(metric));
                        }
                    }
                }
            }
        }
    }

    @Test
    void a_table_has_the_devices_and_processes_that_were_counted() throws IOException {
        for (Path file : all()) {
            List<Integer> expected = TABLES.get(file.getFileName().toString());
            if (expected != null) {
                Told told = NpuTable.devices(text(file));
                int processes =
                        told.occupants().values().stream().mapToInt(List::size).sum();
                assertThat(List.of(told.readings().size(), processes))
                        .as(file.getFileName().toString())
                        .isEqualTo(expected);
                assertThat(told.readings().stream()
                                .map(reading -> reading.identity().id()))
                        .doesNotHaveDuplicates();
            }
        }
    }

    @Test
    void what_a_divided_device_does_not_tell_is_absent() throws IOException {
        for (Path file : all()) {
            if (file.toString().contains("h100-mig") && file.toString().contains("query-gpu")) {
                for (Reading reading : read(file).readings()) {
                    assertThat(reading.values().has(Metric.UTILISATION)).isFalse();
                    assertThat(reading.values().has(Metric.MEMORY_USED)).isTrue();
                    assertThat(reading.identity().divided()).isTrue();
                }
            }
        }
    }

    @Test
    void the_failures_are_named() throws IOException {
        var names = new java.util.TreeMap<String, String>();
        for (Path file : all()) {
            if (folder(file).endsWith("failures")) {
                names.put(
                        file.getFileName().toString().replaceFirst("\\..*", ""),
                        read(file).troubles().getFirst().reason().name());
            }
        }
        assertThat(names.values())
                .containsExactly(
                        "IN_USE",
                        "DRIVER",
                        "ARGUMENT",
                        "LOST",
                        "DRIVER",
                        "VERSION",
                        "LOST",
                        "LOST",
                        "NO_DEVICES",
                        "PERMISSION");
    }

    /**
     * Every value of every sample, as it was read when somebody compared it with what the tool had printed. A change of one is a change of what
     * people are told: look at the sample, and then run this with {@code -Dsluice.golden=write}.
     */
    @Test
    void every_sample_gives_the_values_that_were_looked_at() throws IOException {
        var lines = new ArrayList<String>();
        for (Path file : all()) {
            lines.add("# " + SAMPLES.relativize(file));
            lines.addAll(said(file));
        }
        if ("write".equals(System.getProperty("sluice.golden"))) {
            Files.createDirectories(folder(GOLDEN));
            Files.write(GOLDEN, lines);
        }
        assertThat(lines).containsExactlyElementsOf(Files.readAllLines(GOLDEN));
    }

    private static List<String> said(Path file) {
        Told told = read(file);
        var lines = new ArrayList<String>();
        if (told.readings().size() == 1
                && told.readings().getFirst().identity().id().equals("fact")) {
            lines.addAll(facts(file.getFileName().toString(), text(file)));
        } else {
            told.readings().forEach(reading -> lines.add(said(reading)));
        }
        new TreeMap<>(told.occupants())
                .forEach((device, on) -> on.forEach(one -> lines.add("on " + device + ": " + one)));
        told.troubles().forEach(trouble -> lines.add("trouble " + trouble.reason()));
        return lines;
    }

    private static String said(Reading reading) {
        var words = new StringJoiner(" ");
        var identity = reading.identity();
        words.add(identity.vendor() + " " + identity.index() + " " + identity.id() + " (" + identity.model() + ")");
        if (identity.bus() != null) {
            words.add("at " + identity.bus());
        }
        if (identity.divided() || identity.parent() != null) {
            words.add(identity.divided() ? "divided" : "of " + identity.parent());
        }
        for (Metric metric : Metric.values()) {
            if (reading.values().has(metric)) {
                words.add(metric.key() + "="
                        + new BigDecimal(reading.values().of(metric))
                                .setScale(4, RoundingMode.HALF_UP)
                                .stripTrailingZeros()
                                .toPlainString());
            }
        }
        words.add(reading.health()
                + (reading.broken() ? " broken" : "")
                + (reading.note() == null ? "" : " " + reading.note()));
        return words.toString();
    }

    private static List<String> facts(String name, String text) {
        if (name.startsWith("npu-smi_info-m")) {
            return NpuFacts.mapping(text).stream().map(Object::toString).toList();
        }
        if (name.startsWith("npu-smi_info-t")) {
            return new TreeMap<>(NpuFacts.of(text).chips())
                    .entrySet().stream()
                            .map(chip -> chip.getKey() + " " + new TreeMap<>(chip.getValue()))
                            .toList();
        }
        return new TreeMap<>(NvidiaCsv.parts(text))
                .entrySet().stream().map(Object::toString).toList();
    }

    private static Path folder(Path file) {
        return Objects.requireNonNull(file.getParent());
    }

    private static Told read(Path file) {
        return read(file, text(file));
    }

    private static Told read(Path file, String text) {
        String name = file.getFileName().toString();
        if (name.startsWith("npu-smi_info_")) {
            return NpuTable.devices(text);
        }
        if (name.startsWith("npu-smi_info-m")) {
            return fact(NpuFacts.mapping(text).isEmpty() ? Values.NONE : Values.NONE.with(Metric.POWER, 1), text);
        }
        if (name.startsWith("npu-smi_info-t")) {
            NpuFacts facts = NpuFacts.of(text);
            return facts.chips().isEmpty()
                    ? new Told(List.of(), Map.of(), facts.troubles(), Map.of())
                    : fact(Values.NONE.with(Metric.POWER, 1), text);
        }
        if (name.contains("compute-apps")) {
            return NvidiaCsv.processes(text);
        }
        if (name.contains("noheader")) {
            return NvidiaCsv.devices(
                    text,
                    Arrays.asList(
                            text(file.resolveSibling("FIELDS.txt")).strip().split(",")));
        }
        if (name.contains("_q-x_")) {
            return NvidiaXml.devices(text, Map.of());
        }
        if (name.contains("smi_L_")) {
            return fact(NvidiaCsv.parts(text).isEmpty() ? Values.NONE : Values.NONE.with(Metric.POWER, 1), text);
        }
        if (name.contains("rocm-smi")) {
            return RocmSmi.devices(text);
        }
        if (name.startsWith("amd-smi_process")) {
            return AmdSmi.processes(text);
        }
        if (name.startsWith("amd-smi")) {
            return AmdSmi.devices(text);
        }
        return name.startsWith("npu-smi") ? NpuTable.devices(text) : NvidiaCsv.devices(text, null);
    }

    /** What is no list of devices, as one: with a value where there was something in it. */
    private static Told fact(Values values, String text) {
        return values.isEmpty()
                ? Told.nothing(Failures.of(0, text))
                : new Told(
                        List.of(Reading.of(new Reading.Identity("", "fact", 0, "", null, null, null, false), values)),
                        Map.of(),
                        List.of(),
                        Map.of());
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
