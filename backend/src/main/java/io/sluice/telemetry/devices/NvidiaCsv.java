package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What {@code nvidia-smi --query-…  --format=csv} prints, with or without units, by the names in its first line. */
public final class NvidiaCsv {
    /** In the order asked for. A driver that does not know one refuses the whole call, so those are left out before. */
    public static final List<String> FIELDS = List.of(
            "index",
            "uuid",
            "pci.bus_id",
            "name",
            "driver_version",
            "mig.mode.current",
            "utilization.gpu",
            "utilization.memory",
            "memory.total",
            "memory.used",
            "temperature.gpu",
            "temperature.memory",
            "power.draw",
            "enforced.power.limit",
            "clocks_event_reasons.hw_slowdown",
            "clocks_throttle_reasons.hw_slowdown",
            "ecc.errors.corrected.volatile.total",
            "ecc.errors.uncorrected.volatile.total",
            "remapped_rows.failure",
            "gpu_recovery_action");

    public static final List<String> PROCESS_FIELDS = List.of("gpu_uuid", "pid", "process_name", "used_gpu_memory");

    private static final Pattern COMMA = Pattern.compile(",\\s*");
    private static final Pattern UNIT = Pattern.compile("\\s*\\[[^\\]]*\\]$");
    private static final Pattern LISTED = Pattern.compile("GPU (\\d+): (.+) \\(UUID: (GPU-[^)]+)\\)");
    private static final Pattern PART = Pattern.compile("MIG (\\S+)\\s+Device\\s+(\\d+): \\(UUID: (MIG-[^)]+)\\)");
    private static final Pattern NO_ACTION = Pattern.compile("(?i)none|n/a|\\[.*\\]|");

    private NvidiaCsv() {}

    /** Those of {@link #FIELDS} that the driver knows, from what {@code --help-query-gpu} prints; one spelling of each. */
    public static List<String> known(String help) {
        var known = new ArrayList<String>();
        for (String field : FIELDS) {
            if (Pattern.compile("(?<![\\w.])" + Pattern.quote(field) + "(?![\\w.])")
                    .matcher(help)
                    .find()) {
                known.add(field);
            }
        }
        if (known.contains("clocks_event_reasons.hw_slowdown")) {
            known.remove("clocks_throttle_reasons.hw_slowdown");
        }
        return known;
    }

    /** @param without what the columns are where there is no first line to tell; null: there is */
    public static Told devices(String output, @Nullable List<String> without) {
        var troubles = new ArrayList<Trouble>();
        List<String> lines = lines(output, troubles);
        output.lines().filter(line -> !isRow(line)).map(Failures::of).forEach(troubles::addAll);
        int header = without != null
                ? -1
                : IntStream.range(0, lines.size())
                        .filter(at -> isHeader(lines.get(at), "uuid"))
                        .findFirst()
                        .orElse(-2);
        if (header == -2) {
            return Told.nothing(troubles.isEmpty() ? Failures.of(0, output) : troubles.getFirst());
        }
        List<String> names =
                without == null ? COMMA.splitAsStream(lines.get(header)).toList() : without;
        Map<String, Integer> columns = columns(names);
        var numbers = new Numbers();
        var readings = new ArrayList<Reading>();
        for (String line : lines.subList(header + 1, lines.size())) {
            String[] cells = COMMA.split(line, -1);
            if (cells.length != names.size()) {
                if (Failures.of(line).isEmpty()) {
                    troubles.add(Trouble.of(Reason.CUT_OFF, line));
                }
            } else {
                readings.add(reading(new Row(columns, List.of(cells)), numbers));
            }
        }
        if (readings.isEmpty() && troubles.isEmpty()) {
            troubles.add(Trouble.of(Reason.NO_DEVICES, "There is no row below the names."));
        }
        return new Told(readings, Map.of(), troubles, numbers.absent());
    }

    /** The last line counts only if it was ended: a number that lacks its last digits looks like one. */
    private static List<String> lines(String output, List<Trouble> troubles) {
        int end = output.lastIndexOf('\n') + 1;
        if (!output.substring(end).isBlank()
                && Failures.of(output.substring(end)).isEmpty()) {
            troubles.add(Trouble.of(Reason.CUT_OFF, output.substring(end)));
        }
        return output.substring(0, end)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static boolean isRow(String line) {
        return line.contains("GPU-") && line.indexOf(',') > 0;
    }

    private static boolean isHeader(String line, String word) {
        return COMMA.splitAsStream(line).map(NvidiaCsv::name).anyMatch(word::equals);
    }

    private static String name(String column) {
        return UNIT.matcher(column.strip()).replaceFirst("").toLowerCase(Locale.ROOT);
    }

    private static Map<String, Integer> columns(List<String> header) {
        var columns = new HashMap<String, Integer>();
        for (int at = 0; at < header.size(); at++) {
            columns.put(name(header.get(at)), at);
        }
        return columns;
    }

    private record Row(Map<String, Integer> columns, List<String> cells) {
        String of(String column) {
            Integer at = columns.get(column);
            return at == null ? "" : cells.get(at).strip();
        }

        boolean has(String column) {
            return columns.containsKey(column);
        }
    }

    private static Reading reading(Row row, Numbers numbers) {
        boolean divided = row.of("mig.mode.current").equalsIgnoreCase("Enabled");
        double index = Numbers.of(row.of("index"));
        var identity = new Identity(
                "nvidia",
                row.of("uuid"),
                Double.isNaN(index) ? 0 : (int) index,
                row.of("name"),
                row.of("driver_version").isEmpty() ? null : row.of("driver_version"),
                row.of("pci.bus_id").isEmpty() ? null : row.of("pci.bus_id"),
                null,
                divided);
        Values values = Values.NONE
                .with(Metric.UTILISATION, number(row, "utilization.gpu", numbers) / 100)
                .with(Metric.MEMORY_BANDWIDTH, number(row, "utilization.memory", numbers) / 100)
                .with(Metric.MEMORY_TOTAL, number(row, "memory.total", numbers) * Numbers.MIB)
                .with(Metric.MEMORY_USED, number(row, "memory.used", numbers) * Numbers.MIB)
                .with(Metric.TEMPERATURE, number(row, "temperature.gpu", numbers))
                .with(Metric.MEMORY_TEMPERATURE, number(row, "temperature.memory", numbers))
                .with(Metric.POWER, number(row, "power.draw", numbers))
                .with(Metric.POWER_LIMIT, number(row, "enforced.power.limit", numbers));
        return health(Reading.of(identity, values), row);
    }

    private static double number(Row row, String column, Numbers numbers) {
        return row.has(column) ? numbers.read(column, row.of(column)) : Double.NaN;
    }

    private static Reading health(Reading reading, Row row) {
        String slowed = row.has("clocks_event_reasons.hw_slowdown")
                ? row.of("clocks_event_reasons.hw_slowdown")
                : row.of("clocks_throttle_reasons.hw_slowdown");
        double corrected = Numbers.of(row.of("ecc.errors.corrected.volatile.total"));
        double errors = Numbers.of(row.of("ecc.errors.uncorrected.volatile.total"));
        String action = row.of("gpu_recovery_action");
        boolean failing = row.of("remapped_rows.failure").equalsIgnoreCase("yes")
                || row.of("remapped_rows.failure").equals("1");
        Boolean isSlowed = slowed.equalsIgnoreCase("Active")
                ? Boolean.TRUE
                : slowed.equalsIgnoreCase("Not Active") ? Boolean.FALSE : null;
        Reading strained = reading.strain(
                isSlowed,
                Double.isNaN(corrected) ? null : (Long) (long) corrected,
                Double.isNaN(errors) ? null : (Long) (long) errors);
        if (!NO_ACTION.matcher(action).matches()) {
            return strained.health(Health.CRITICAL, "The driver asks for: " + action, true);
        }
        if (failing) {
            return strained.health(Health.CRITICAL, "Rows of its memory could not be replaced", true);
        }
        if (errors > 0) {
            return strained.health(Health.CRITICAL, "Memory errors that were not corrected: " + (long) errors, true);
        }
        return strained.health(
                Boolean.TRUE.equals(isSlowed) ? Health.WARNING : Health.OK,
                Boolean.TRUE.equals(isSlowed) ? "Slowed down by heat or power" : null,
                false);
    }

    /** Who is on which device. Names are the users' own and may hold commas: the ends of a row are read, the middle is the name. */
    public static Told processes(String output) {
        var troubles = new ArrayList<Trouble>();
        List<String> lines = lines(output, troubles);
        List<String> columns = PROCESS_FIELDS;
        if (!lines.isEmpty() && isHeader(lines.getFirst(), "pid")) {
            columns = COMMA.splitAsStream(lines.getFirst()).map(NvidiaCsv::name).toList();
            lines = lines.subList(1, lines.size());
        }
        var occupants = new LinkedHashMap<String, List<Occupant>>();
        var numbers = new Numbers();
        for (String line : lines) {
            String[] cells = COMMA.split(line, -1);
            int uuid = columns.indexOf("gpu_uuid");
            int pid = columns.indexOf("pid");
            if (cells.length < columns.size() || uuid < 0 || !cells[uuid].startsWith("GPU-")) {
                troubles.add(Failures.of(line).stream().findFirst().orElse(Trouble.of(Reason.CUT_OFF, line)));
            } else if (!Numbers.isCount(cells[pid])) {
                troubles.add(Trouble.of(Reason.PERMISSION, line));
            } else {
                double memory = numbers.read("used_gpu_memory", cells[cells.length - 1]) * Numbers.MIB;
                String name =
                        String.join(", ", List.of(cells).subList(columns.indexOf("process_name"), cells.length - 1));
                occupants
                        .computeIfAbsent(cells[uuid], device -> new ArrayList<>())
                        .add(new Occupant(Long.parseLong(cells[pid]), name, memory));
            }
        }
        return new Told(List.of(), occupants, troubles, numbers.absent());
    }

    /** The parts of divided devices, by the whole's id, as {@code nvidia-smi -L} lists them. */
    public static Map<String, List<Part>> parts(String output) {
        var parts = new LinkedHashMap<String, List<Part>>();
        String whole = "";
        for (String line : output.lines().toList()) {
            Matcher listed = LISTED.matcher(line);
            Matcher part = PART.matcher(line);
            if (listed.find()) {
                whole = listed.group(3);
                parts.put(whole, new ArrayList<>());
            } else if (part.find() && parts.containsKey(whole)) {
                parts.get(whole).add(new Part(Integer.parseInt(part.group(2)), part.group(1), part.group(3)));
            }
        }
        return parts;
    }

    public record Part(int index, String profile, String id) {}
}
