package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code npu-smi info} prints. There are at least six layouts, and cells that are padded wrongly: it is read by the bars and by the words
 * at the top, never by columns of characters.
 */
public final class NpuTable {
    private static final Pattern VERSION = Pattern.compile("Version:\\s*(\\S+)");
    private static final Pattern PAIR = Pattern.compile("(\\d{1,9})\\s*/\\s*(\\d{1,9})");
    private static final Pattern BUS = Pattern.compile("[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\\.\\d|NA");
    private static final Pattern NOBODY = Pattern.compile("No running processes found in NPU (\\d{1,9})");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private final Numbers numbers = new Numbers();
    private final List<Trouble> troubles = new ArrayList<>();
    private final Map<String, Reading> readings = new LinkedHashMap<>();
    private final Map<String, List<Occupant>> occupants = new LinkedHashMap<>();
    private @Nullable String version;
    private boolean named;
    private boolean numbered;
    private boolean high;
    private boolean inProcesses;
    private boolean withoutChips;
    private @Nullable String processesOf;
    private @Nullable List<String> upper;
    private final Map<String, Integer> places;

    private NpuTable(Map<String, Integer> places) {
        this.places = places;
    }

    /** @param chips where the tool has each device, by the device's id */
    public record Table(Told told, Map<String, Chip> chips, boolean withProcesses) {}

    /** A chip of a card, by the numbers that the tool is asked with. */
    public record Chip(int card, int number) {
        @Override
        public String toString() {
            return card + "/" + number;
        }
    }

    public static Told devices(String output) {
        return table(output, Map.of()).told();
    }

    /** @param places the number of each chip among the machine's, by {@link Chip}, for layouts that do not tell it */
    public static Table table(String output, Map<String, Integer> places) {
        var table = new NpuTable(places);
        output.lines().map(String::strip).forEach(table::line);
        Told told = table.told(output);
        var chips = new LinkedHashMap<String, Chip>();
        table.readings.forEach((place, reading) -> {
            int slash = place.indexOf('/');
            chips.put(
                    reading.identity().id(),
                    new Chip(
                            Integer.parseInt(place.substring(0, slash)), Integer.parseInt(place.substring(slash + 1))));
        });
        return new Table(told, chips, table.inProcesses);
    }

    private Told told(String output) {
        cutOff();
        end(output);
        troubles.addAll(Failures.of(output));
        if (readings.isEmpty() && troubles.isEmpty()) {
            troubles.add(
                    version == null || !named
                            ? Failures.of(0, output)
                            : Trouble.of(Reason.NO_DEVICES, "The table is empty."));
        }
        var byDevice = new LinkedHashMap<String, List<Occupant>>();
        occupants.forEach((place, all) -> {
            Reading on = readings.get(place);
            if (on != null) {
                byDevice.put(on.identity().id(), all);
            }
        });
        return new Told(List.copyOf(readings.values()), byDevice, troubles, numbers.absent());
    }

    /** A whole table ends with a border. Of what was told last there may have been more, and a number too low is a wrong one. */
    private void end(String output) {
        String last = output.stripTrailing();
        last = last.substring(last.lastIndexOf('\n') + 1).strip();
        boolean border = last.startsWith("+") && last.endsWith("+");
        boolean whole = border || (last.startsWith("| No running") && last.endsWith("|"));
        if (!readings.isEmpty()
                && !whole
                && troubles.isEmpty()
                && Failures.of(last).isEmpty()) {
            troubles.add(Trouble.of(Reason.CUT_OFF, last));
        }
        boolean cut = troubles.stream().anyMatch(trouble -> trouble.reason() == Reason.CUT_OFF);
        if (cut && processesOf != null) {
            occupants.keySet().removeIf(place -> place.startsWith(processesOf + "/"));
        }
    }

    private void line(String line) {
        if (!line.startsWith("|")) {
            return;
        }
        if (line.length() < 2 || !line.endsWith("|")) {
            // a number that lacks its last digits looks like one
            troubles.add(Trouble.of(Reason.CUT_OFF, line));
            return;
        }
        List<String> cells = Stream.of(line.substring(1, line.length() - 1).split("\\|", -1))
                .map(String::strip)
                .toList();
        Matcher about = VERSION.matcher(line);
        if (line.contains("npu-smi") && about.find()) {
            version = about.group(1);
        } else if (line.contains("Process id")) {
            cutOff();
            inProcesses = true;
            withoutChips = !line.contains("Chip");
        } else if (line.contains("Health") && line.contains("Power")) {
            named = true;
            numbered = line.contains("NPU ID");
        } else if (line.contains("Bus-Id")) {
            high = line.contains("HBM-Usage");
        } else if (inProcesses) {
            process(cells);
        } else if (named) {
            row(cells);
        }
    }

    private void row(List<String> cells) {
        List<String> row = numbered && cells.size() > 3
                ? List.of((cells.get(0) + " " + cells.get(1)).strip(), cells.get(2), cells.get(3))
                : cells;
        if (row.size() != 3) {
            troubles.add(Trouble.of(Reason.LAYOUT, String.join(" | ", cells)));
        } else if (!BUS.matcher(row.get(1)).matches()) {
            cutOff();
            upper = row;
        } else if (upper != null) {
            device(upper, row);
            upper = null;
        }
    }

    /** The first half of a device whose second half did not come. */
    private void cutOff() {
        if (upper != null) {
            troubles.add(Trouble.of(Reason.CUT_OFF, String.join(" | ", upper)));
            upper = null;
        }
    }

    private void device(List<String> first, List<String> second) {
        String[] name = BLANKS.split(first.get(0), 2);
        String[] place = BLANKS.split(second.get(0));
        String[] state = BLANKS.split(first.get(2));
        String[] load = BLANKS.split(second.get(2), 2);
        if (!Numbers.isCount(name[0]) || state.length < 2) {
            troubles.add(Trouble.of(Reason.CUT_OFF, String.join(" | ", first)));
            return;
        }
        String chip = place[0].isEmpty() ? "0" : place[0];
        if (!Numbers.isCount(chip)) {
            troubles.add(Trouble.of(Reason.CUT_OFF, String.join(" | ", second)));
            return;
        }
        String bus = second.get(1).equals("NA") ? null : second.get(1);
        String id =
                "ascend-" + (bus == null ? "npu" + name[0] : bus) + (bus != null && chip.equals("0") ? "" : "-" + chip);
        int index =
                place.length > 1 && Numbers.isCount(place[1]) ? Integer.parseInt(place[1]) : numbered(name[0], chip);
        var identity =
                new Identity("ascend", id, index, model(name.length > 1 ? name[1] : ""), version, bus, null, false);
        Values values = memory(load.length > 1 ? load[1] : "")
                .with(Metric.POWER, numbers.read("power", state[0]))
                .with(Metric.TEMPERATURE, numbers.read("temperature", state[1]))
                .with(Metric.UTILISATION, numbers.read("utilization", load[0]) / 100);
        Reading reading = Reading.of(identity, values);
        readings.put(name[0] + "/" + chip, health(reading, first.get(1), first.get(2)));
    }

    /** Never by the row: where a card drops out, those below it would become others. */
    private int numbered(String card, String chip) {
        Integer place = places.get(card + "/" + chip);
        return place != null ? place : chip.equals("0") ? Integer.parseInt(card) : readings.size();
    }

    /** Where there is fast memory, that is what counts. */
    private Values memory(String cell) {
        Values values = Values.NONE;
        Matcher pair = PAIR.matcher(cell);
        while (pair.find()) {
            double total = Double.parseDouble(pair.group(2)) * Numbers.MIB;
            if (total > 0) {
                values = values.with(Metric.MEMORY_USED, Double.parseDouble(pair.group(1)) * Numbers.MIB)
                        .with(Metric.MEMORY_TOTAL, total);
            }
        }
        if (!values.has(Metric.MEMORY_TOTAL)) {
            numbers.read(high ? "hbm" : "memory", "");
        }
        return values;
    }

    private static String model(String name) {
        return name.isEmpty() || name.toLowerCase(java.util.Locale.ROOT).startsWith("ascend")
                ? name.isEmpty() ? "Ascend" : name
                : "Ascend" + name;
    }

    /** An alarm that huge pages are used up says nothing of the device. */
    private static Reading health(Reading reading, String said, String state) {
        Matcher pages = PAIR.matcher(state);
        boolean full =
                pages.find() && !pages.group(2).equals("0") && pages.group(1).equals(pages.group(2));
        return switch (said) {
            case "OK" -> reading.health(Health.OK, null, false);
            case "Warning" -> reading.health(Health.WARNING, "npu-smi: Warning", false);
            case "Alarm", "Critical" ->
                reading.health(Health.CRITICAL, "npu-smi: " + said, said.equals("Critical") || !full);
            default -> reading.health(Health.UNKNOWN, said.isEmpty() ? null : "npu-smi: " + said, false);
        };
    }

    private void process(List<String> cells) {
        Matcher nobody = NOBODY.matcher(cells.get(0));
        if (cells.size() == 1 || nobody.lookingAt()) {
            if (nobody.lookingAt()) {
                processesOf = nobody.group(1);
                on(nobody.group(1));
            }
            return;
        }
        String[] place = BLANKS.split(cells.get(0));
        if (cells.size() < 4 || !Numbers.isCount(cells.get(1)) || !Numbers.isCount(place[0])) {
            troubles.add(Trouble.of(Reason.CUT_OFF, String.join(" | ", cells)));
            return;
        }
        String chip = withoutChips || place.length < 2 ? "0" : place[1];
        processesOf = place[0];
        on(place[0]);
        occupants
                .computeIfAbsent(place[0] + "/" + chip, device -> new ArrayList<>())
                .add(new Occupant(
                        Long.parseLong(cells.get(1)),
                        cells.get(2),
                        numbers.read("process_memory", cells.get(3)) * Numbers.MIB));
    }

    /** A card whose processes are told of: its chips that are not named have none. */
    private void on(String card) {
        readings.keySet().stream()
                .filter(place -> place.startsWith(card + "/"))
                .forEach(place -> occupants.computeIfAbsent(place, device -> new ArrayList<>()));
    }
}
