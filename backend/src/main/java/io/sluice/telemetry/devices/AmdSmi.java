package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.Trouble.Reason;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code amd-smi … --json} prints: a list, or an object around one, of leaves with value and unit; any of it may be "N/A" instead. */
public final class AmdSmi {
    private AmdSmi() {}

    /** What {@code amd-smi metric --json} prints; it knows the devices by their numbers only. */
    public static Told devices(String output) {
        List<JsonObject> devices = gpus(output);
        if (devices.isEmpty()) {
            return Told.nothing(broken(output));
        }
        var numbers = new Numbers();
        List<Reading> readings =
                devices.stream().map(gpu -> reading(gpu, numbers)).toList();
        return new Told(readings, Map.of(), List.of(), numbers.absent());
    }

    /** Who the devices are, by number, from what {@code amd-smi static --json} prints. */
    public static Map<Integer, Identity> identities(String output) {
        Map<Integer, Identity> known = new LinkedHashMap<>();
        gpus(output).forEach(gpu -> known.put(index(gpu), identity(gpu)));
        return known;
    }

    private static Trouble broken(String output) {
        boolean begun =
                output.stripLeading().startsWith("[") || output.stripLeading().startsWith("{");
        var said = Failures.of(output);
        return !said.isEmpty()
                ? said.getFirst()
                : begun ? Trouble.of(Reason.CUT_OFF, output.strip()) : Failures.of(0, output);
    }

    /** The objects that are about one device each, whatever is around them. */
    private static List<JsonObject> gpus(String output) {
        int object = output.indexOf('{');
        int list = output.indexOf('[');
        int begin = object < 0 ? list : list < 0 ? object : Math.min(object, list);
        if (begin < 0) {
            return List.of();
        }
        try {
            Object read = Json.decodeValue(output.substring(begin));
            Object inner = read instanceof JsonObject around && around.getValue("gpu_data") != null
                    ? around.getValue("gpu_data")
                    : read;
            Stream<?> all = inner instanceof JsonArray many ? many.stream() : Stream.of(inner);
            return all.filter(JsonObject.class::isInstance)
                    .map(JsonObject.class::cast)
                    .filter(gpu -> gpu.getValue("gpu") instanceof Number)
                    .toList();
        } catch (DecodeException e) {
            return List.of();
        }
    }

    private static int index(JsonObject gpu) {
        return gpu.getInteger("gpu", 0);
    }

    private static Identity identity(JsonObject gpu) {
        int index = index(gpu);
        String bus = text(at(gpu, "bus", "bdf"));
        String uuid = text(at(gpu, "asic", "asic_serial"));
        String model = text(at(gpu, "asic", "market_name"));
        return new Identity(
                "amd",
                "amd-" + (!uuid.isEmpty() ? uuid : !bus.isEmpty() ? bus : Integer.toString(index)),
                index,
                model.isEmpty() ? "AMD" : model,
                text(at(gpu, "driver", "version")).isEmpty() ? null : text(at(gpu, "driver", "version")),
                bus.isEmpty() ? null : bus,
                null,
                false);
    }

    private static Reading reading(JsonObject gpu, Numbers numbers) {
        var identity = identity(new JsonObject().put("gpu", index(gpu)));
        double megabyte = Numbers.MIB;
        double edge = number(gpu, new Numbers(), "temperature", "edge");
        Values values = Values.NONE
                .with(Metric.UTILISATION, number(gpu, numbers, "usage", "gfx_activity") / 100)
                .with(Metric.MEMORY_BANDWIDTH, number(gpu, numbers, "usage", "umc_activity") / 100)
                .with(Metric.MEMORY_TOTAL, number(gpu, numbers, "mem_usage", "total_vram") * megabyte)
                .with(Metric.MEMORY_USED, number(gpu, numbers, "mem_usage", "used_vram") * megabyte)
                .with(Metric.POWER, number(gpu, numbers, "power", "socket_power"))
                .with(Metric.TEMPERATURE, Double.isNaN(edge) ? number(gpu, numbers, "temperature", "hotspot") : edge)
                .with(Metric.MEMORY_TEMPERATURE, number(gpu, numbers, "temperature", "mem"));
        return strained(gpu, Reading.of(identity, values));
    }

    /** What the tool says of memory errors and of being held back; where it says neither, nothing is known of the health. */
    private static Reading strained(JsonObject gpu, Reading reading) {
        String slowed = text(at(gpu, "power", "throttle_status"));
        double corrected = Numbers.of(text(at(gpu, "ecc", "total_correctable_count")));
        double uncorrected = Numbers.of(text(at(gpu, "ecc", "total_uncorrectable_count")));
        Boolean isSlowed = slowed.equalsIgnoreCase("THROTTLED")
                ? Boolean.TRUE
                : slowed.equalsIgnoreCase("UNTHROTTLED") ? Boolean.FALSE : null;
        Reading strained = reading.strain(
                isSlowed,
                Double.isNaN(corrected) ? null : (Long) (long) corrected,
                Double.isNaN(uncorrected) ? null : (Long) (long) uncorrected);
        if (uncorrected > 0) {
            return strained.health(
                    Health.CRITICAL, "Memory errors that were not corrected: " + (long) uncorrected, true);
        }
        if (Boolean.TRUE.equals(isSlowed)) {
            return strained.health(Health.WARNING, "Slowed down by heat or power", false);
        }
        return isSlowed == null && Double.isNaN(uncorrected) ? strained : strained.health(Health.OK, null, false);
    }

    private static @Nullable Object at(JsonObject from, String block, String leaf) {
        return from.getValue(block) instanceof JsonObject inner ? inner.getValue(leaf) : null;
    }

    private static String text(@Nullable Object leaf) {
        String text = leaf instanceof JsonObject unit ? String.valueOf(unit.getValue("value")) : String.valueOf(leaf);
        return text.equals("null") || text.equals("N/A") ? "" : text.strip();
    }

    private static double number(JsonObject from, Numbers numbers, String block, String leaf) {
        return numbers.read(leaf, text(at(from, block, leaf)));
    }

    /** What {@code amd-smi process --json} prints, under {@code amd-} and the device's number. */
    public static Told processes(String output) {
        List<JsonObject> devices = gpus(output);
        if (devices.isEmpty()) {
            return Told.nothing(broken(output));
        }
        var occupants = new LinkedHashMap<String, List<Occupant>>();
        for (JsonObject gpu : devices) {
            var on = new ArrayList<Occupant>();
            Object list = gpu.getValue("process_list");
            if (list instanceof JsonArray all) {
                all.stream()
                        .filter(JsonObject.class::isInstance)
                        .map(JsonObject.class::cast)
                        .forEach(one -> {
                            if (one.getValue("process_info") instanceof JsonObject info
                                    && info.getValue("pid") instanceof Number pid) {
                                on.add(new Occupant(
                                        pid.longValue(), String.valueOf(info.getValue("name")), memory(info)));
                            }
                        });
            }
            occupants.put("amd-" + index(gpu), on);
        }
        return new Told(List.of(), occupants, List.of(), Map.of());
    }

    /** The newer of the two is right where they differ. */
    private static double memory(JsonObject info) {
        double newer = Numbers.of(text(at(info, "memory_usage", "vram_mem")).replaceFirst(" ?B$", ""));
        return Double.isNaN(newer) ? Numbers.of(text(info.getValue("mem_usage"))) : newer;
    }
}
