package io.sluice.telemetry.devices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What one call of a tool told.
 *
 * @param occupants by id of the device, as far as this call names them
 * @param absent how many values the tool had no number for, by field
 */
public record Told(
        List<Reading> readings,
        Map<String, List<Reading.Occupant>> occupants,
        List<Trouble> troubles,
        Map<String, Integer> absent) {

    public Told {
        readings = List.copyOf(readings);
        occupants = Map.copyOf(occupants);
        troubles = List.copyOf(troubles);
        absent = Map.copyOf(absent);
    }

    public static Told nothing(Trouble trouble) {
        return new Told(List.of(), Map.of(), List.of(trouble), Map.of());
    }

    public boolean isUseful() {
        return !readings.isEmpty() || !occupants.isEmpty();
    }

    public Told map(Function<Reading, Reading> change) {
        return new Told(readings.stream().map(change).toList(), occupants, troubles, absent);
    }

    /** With the troubles and absences of another call, and its occupants on these devices. */
    public Told and(Told more) {
        var all = new ArrayList<>(readings);
        all.addAll(more.readings);
        var both = new LinkedHashMap<>(occupants);
        both.putAll(more.occupants);
        var troubled = new ArrayList<>(troubles);
        troubled.addAll(more.troubles);
        var missing = new LinkedHashMap<>(absent);
        more.absent.forEach((field, count) -> missing.merge(field, count, Integer::sum));
        return new Told(all, both, troubled, missing);
    }

    /** Whoever is on a device is part of what was read of it. A device of whose processes nothing was told has none that are known, not none. */
    public Told settled() {
        return map(reading -> {
            List<Reading.Occupant> on = occupants.get(reading.identity().id());
            return on == null ? reading : reading.occupants(on);
        });
    }

    /** The same, of a list that names all processes there are: on devices that it does not name there is nobody. */
    public Told complete() {
        var all = new LinkedHashMap<>(occupants);
        readings.forEach(reading -> all.putIfAbsent(reading.identity().id(), List.of()));
        return new Told(readings, all, troubles, absent).settled();
    }
}
