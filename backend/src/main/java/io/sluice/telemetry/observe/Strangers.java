package io.sluice.telemetry.observe;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds processes on devices that nobody holds: left behind by a task, or somebody's from outside. Such a device is not given to anybody. One
 * round's sight is not enough, for a task that ends takes its time.
 */
final class Strangers {
    private static final int ROUNDS = 2;

    private final Map<String, Integer> rounds = new HashMap<>();

    Map<String, String> look(List<Seen> devices, Map<String, Usage> usages) {
        Set<Long> ours = usages.values().stream()
                .flatMap(usage -> usage.processes().stream())
                .collect(Collectors.toSet());
        var occupied = new HashMap<String, String>();
        for (Seen seen : devices) {
            Reading reading = seen.reading();
            Holder holder = seen.holder();
            List<Reading.Occupant> on =
                    reading == null || !seen.current() || reading.occupants() == null ? List.of() : reading.occupants();
            List<Reading.Occupant> strange =
                    on.stream().filter(one -> !ours.contains(one.pid())).toList();
            String id = seen.device().id();
            if (holder != null || strange.isEmpty()) {
                rounds.remove(id);
            } else if (rounds.merge(id, 1, Integer::sum) >= ROUNDS) {
                occupied.put(id, sentence(strange));
            }
        }
        return occupied;
    }

    private static String sentence(List<Reading.Occupant> strange) {
        String names = strange.stream()
                .limit(3)
                .map(one -> (one.name().isEmpty() ? "process" : one.name()) + " (" + one.pid() + ")")
                .collect(Collectors.joining(", "));
        return "Used by " + names + (strange.size() > 3 ? " and " + (strange.size() - 3) + " more" : "")
                + ", which is no task's";
    }
}
