package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble.Reason;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What {@code rocm-smi … --json} prints, also Hygon's: texts under names that change with the version. */
public final class RocmSmi {
    private static final Pattern CARD = Pattern.compile("card(\\d{1,4})");
    private static final Pattern PROCESS = Pattern.compile("PID(\\d{1,9})");

    private RocmSmi() {}

    public static Told devices(String output) {
        int begin = output.indexOf('{');
        if (begin < 0) {
            return Told.nothing(Failures.of(0, output));
        }
        JsonObject all;
        try {
            all = new JsonObject(output.substring(begin));
        } catch (DecodeException e) {
            return Told.nothing(Trouble.of(Reason.CUT_OFF, String.valueOf(e.getMessage())));
        }
        var numbers = new Numbers();
        List<Reading> readings = new ArrayList<>();
        for (String name : all.fieldNames()) {
            var card = CARD.matcher(name);
            if (card.matches() && all.getValue(name) instanceof JsonObject values) {
                readings.add(reading(Integer.parseInt(card.group(1)), fields(values), numbers));
            }
        }
        readings.sort(Comparator.comparingInt(reading -> reading.identity().index()));
        var troubles = new ArrayList<>(Failures.of(output.substring(0, begin)));
        if (readings.isEmpty() && troubles.isEmpty()) {
            troubles.add(Trouble.of(Reason.LAYOUT, "There is no card in it."));
        }
        return new Told(readings, Map.of(), troubles, numbers.absent());
    }

    private static Map<String, String> fields(JsonObject card) {
        var fields = new TreeMap<String, String>();
        card.forEach(field -> fields.put(
                field.getKey().toLowerCase(Locale.ROOT).strip(),
                String.valueOf(field.getValue()).strip()));
        return fields;
    }

    private static Reading reading(int index, Map<String, String> card, Numbers numbers) {
        Optional<String> unique = find(card, "unique id").filter(id -> !id.equalsIgnoreCase("N/A") && !id.equals("0"));
        Optional<String> bus = find(card, "pci bus");
        String model = find(card, "card series")
                .or(() -> find(card, "device name"))
                .or(() -> find(card, "card model"))
                .orElse("AMD");
        var identity = new Identity(
                "amd",
                "amd-" + unique.or(() -> bus).orElse(Integer.toString(index)),
                index,
                model,
                find(card, "driver version").orElse(null),
                bus.orElse(null),
                null,
                false);
        Values values = Values.NONE
                .with(Metric.UTILISATION, number(card, numbers, "gpu use (%)", "dcu use (%)") / 100)
                .with(Metric.MEMORY_TOTAL, memory(card, numbers, "vram total memory"))
                .with(Metric.MEMORY_USED, memory(card, numbers, "vram total used memory"))
                .with(
                        Metric.POWER,
                        number(
                                card,
                                numbers,
                                "average graphics package power (w)",
                                "current socket graphics package power (w)"))
                .with(Metric.POWER_LIMIT, number(card, new Numbers(), "max graphics package power (w)"))
                .with(
                        Metric.TEMPERATURE,
                        number(card, numbers, "temperature (sensor edge) (c)", "temperature (sensor junction) (c)"))
                .with(
                        Metric.MEMORY_TEMPERATURE,
                        number(card, numbers, "temperature (sensor memory) (c)", "temperature (sensor mem) (c)"))
                .with(Metric.MEMORY_BANDWIDTH, number(card, new Numbers(), "gpu memory read/write activity (%)") / 100);
        return Reading.of(identity, values);
    }

    private static Optional<String> find(Map<String, String> card, String name) {
        return Optional.ofNullable(card.get(name)).filter(value -> !value.isEmpty());
    }

    private static double number(Map<String, String> card, Numbers numbers, String... names) {
        for (String name : names) {
            double value = Numbers.of(card.getOrDefault(name, ""));
            if (!Double.isNaN(value)) {
                return value;
            }
        }
        return numbers.read(names[0], "");
    }

    private static double memory(Map<String, String> card, Numbers numbers, String name) {
        double bytes = Numbers.of(card.getOrDefault(name + " (b)", ""));
        return Double.isNaN(bytes) ? number(card, numbers, name + " (mib)") * Numbers.MIB : bytes;
    }

    /** What {@code --showpids --json} prints; on which cards they are it does not tell. Empty: it was not readable. */
    public static Optional<List<Occupant>> processes(String output) {
        int begin = output.indexOf('{');
        if (begin < 0) {
            return output.contains("No KFD PIDs currently running") ? Optional.of(List.of()) : Optional.empty();
        }
        try {
            JsonObject system = new JsonObject(output.substring(begin)).getJsonObject("system", new JsonObject());
            var occupants = new ArrayList<Occupant>();
            for (String name : system.fieldNames()) {
                var pid = PROCESS.matcher(name);
                String[] cells = String.valueOf(system.getValue(name)).split(",\\s*");
                if (pid.matches() && cells.length >= 3) {
                    occupants.add(
                            new Occupant(Long.parseLong(pid.group(1)), cells[0], Numbers.of(cells[cells.length - 3])));
                }
            }
            return Optional.of(occupants);
        } catch (DecodeException | ClassCastException e) {
            return Optional.empty();
        }
    }
}
