package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What {@code npu-smi info -t …} prints of one card: lines of name and value. {@code common} begins a chip with its number, {@code usages} and
 * {@code ecc} end it with that; whoever confuses the two gives every value to the neighbour.
 *
 * @param card what stands before and beside the chips
 * @param chips by number; of a card that does not number them, the one with number 0
 */
public record NpuFacts(Map<String, String> card, Map<Integer, Map<String, String>> chips, List<Trouble> troubles) {
    public static final NpuFacts NONE = new NpuFacts(Map.of(), Map.of(), List.of());

    private static final Pattern LINE = Pattern.compile("\\s*([^:]{1,60}?)\\s*:\\s*(.*?)\\s*");
    private static final String CHIP = "Chip ID";

    public NpuFacts {
        card = Map.copyOf(card);
        chips = Map.copyOf(chips);
        troubles = List.copyOf(troubles);
    }

    public static NpuFacts of(String output) {
        var blocks = new ArrayList<Map<String, String>>(List.of(new LinkedHashMap<>()));
        boolean ends = endsWithNumber(output);
        for (String line : output.lines().toList()) {
            var words = LINE.matcher(line);
            if (!words.matches() || line.startsWith("Failed") || line.contains("failed.")) {
                continue;
            }
            boolean number = words.group(1).equals(CHIP);
            boolean other = words.group(1).equals("Chip Name") && words.group(2).equalsIgnoreCase("mcu");
            if (blocks.size() == 1 && ends && !isOfCard(words.group(1))) {
                blocks.add(new LinkedHashMap<>());
            }
            if ((number && !ends) || other) {
                blocks.add(new LinkedHashMap<>());
            }
            blocks.getLast().put(words.group(1), words.group(2));
            if (number && ends) {
                blocks.add(new LinkedHashMap<>());
            }
        }
        return facts(output, blocks);
    }

    private static NpuFacts facts(String output, List<Map<String, String>> blocks) {
        var card = new LinkedHashMap<>(blocks.getFirst());
        var chips = new LinkedHashMap<Integer, Map<String, String>>();
        for (Map<String, String> block : blocks.subList(1, blocks.size())) {
            String number = block.getOrDefault(CHIP, "");
            if (Numbers.isCount(number)) {
                chips.put(Integer.valueOf(number), block);
            } else {
                block.forEach(card::putIfAbsent);
            }
        }
        if (chips.isEmpty() && !card.isEmpty() && Failures.of(output).isEmpty()) {
            chips.put(0, Map.copyOf(card));
        }
        var troubles = new ArrayList<>(Failures.of(output));
        if (troubles.isEmpty() && card.isEmpty() && chips.isEmpty()) {
            troubles.add(output.isBlank() ? Trouble.of(Reason.EMPTY, "") : Trouble.of(Reason.LAYOUT, output));
        }
        return new NpuFacts(card, chips, troubles);
    }

    /** By what is told of a chip before its number comes for the first time. */
    private static boolean endsWithNumber(String output) {
        List<String> names = output.lines()
                .map(LINE::matcher)
                .filter(java.util.regex.Matcher::matches)
                .map(line -> line.group(1))
                .toList();
        int at = names.indexOf(CHIP);
        return at > 0 && names.subList(0, at).stream().anyMatch(name -> !isOfCard(name));
    }

    private static boolean isOfCard(String name) {
        return name.equals("NPU ID") || name.equals("Chip Count");
    }

    public Optional<String> of(int chip, String name) {
        return Optional.ofNullable(chips.getOrDefault(chip, Map.of()).get(name))
                .or(() -> Optional.ofNullable(card.get(name)))
                .filter(value -> !value.isEmpty() && !value.equals("NA"));
    }

    public double number(int chip, String name) {
        return of(chip, name).map(Numbers::of).orElse(Double.NaN);
    }

    /** Values of this chip as the metrics have them. */
    public Values values(int chip) {
        return Values.NONE
                .with(Metric.UTILISATION, number(chip, "Aicore Usage Rate(%)") / 100)
                .with(Metric.MEMORY_BANDWIDTH, number(chip, "DDR Bandwidth Usage Rate(%)") / 100)
                .with(Metric.MEMORY_BANDWIDTH, number(chip, "HBM Bandwidth Usage Rate(%)") / 100)
                .with(Metric.TEMPERATURE, number(chip, "Temperature(C)"))
                .with(Metric.POWER, number(chip, "NPU Real-time Power(W)"))
                .with(Metric.MEMORY_TOTAL, memory(chip) * Numbers.MIB);
    }

    private double memory(int chip) {
        double fast = number(chip, "HBM Capacity(MB)");
        return fast > 0 ? fast : number(chip, "DDR Capacity(MB)");
    }

    /** Memory errors that were not corrected, of {@code -t ecc}; empty where it tells of none of its memories. */
    public Optional<Long> uncorrected(int chip) {
        double[] counts = Stream.of("DDR Double Bit Error Count", "HBM Double Bit Error Count")
                .mapToDouble(name -> number(chip, name))
                .filter(count -> !Double.isNaN(count))
                .toArray();
        return counts.length == 0
                ? Optional.empty()
                : Optional.of((long) Arrays.stream(counts).sum());
    }

    /** The number of each chip among the machine's, by {@link NpuTable.Chip}, from what {@code info -m} prints. */
    public static Map<String, Integer> places(String output) {
        var places = new LinkedHashMap<String, Integer>();
        for (Map<String, String> row : mapping(output)) {
            String card = row.getOrDefault("NPU ID", "");
            String chip = row.getOrDefault(CHIP, "");
            String number = row.getOrDefault("Chip Phy-ID", row.getOrDefault("Chip Logic ID", ""));
            if (Numbers.isCount(card) && Numbers.isCount(chip) && Numbers.isCount(number)) {
                places.put(card + "/" + chip, Integer.valueOf(number));
            }
        }
        return places;
    }

    /** What {@code info -m} prints: one line for each chip, by the words above them. */
    public static List<Map<String, String>> mapping(String output) {
        var rows = new ArrayList<Map<String, String>>();
        List<String> header = List.of();
        for (String line : output.lines()
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList()) {
            List<String> cells = List.of(line.split("\\s{2,}|\\t+"));
            if (cells.contains("NPU ID") && cells.contains(CHIP)) {
                header = cells;
            } else if (!header.isEmpty() && cells.size() == header.size()) {
                var row = new LinkedHashMap<String, String>();
                for (int at = 0; at < cells.size(); at++) {
                    row.put(header.get(at), cells.get(at));
                }
                if (!row.getOrDefault("Chip Name", "").equalsIgnoreCase("mcu")) {
                    rows.add(row);
                }
            }
        }
        return rows;
    }
}
