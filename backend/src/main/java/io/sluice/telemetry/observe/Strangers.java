package io.sluice.telemetry.observe;

import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Finds processes on devices that nobody holds: left behind by a task, or somebody's from outside. Such a device is not given to anybody. Only
 * what a tool was asked after the device was given back counts, and not one answer alone, for a task that ends takes its time.
 */
final class Strangers {
    private static final int READINGS = 2;
    private static final int MOST_FORMER = 100_000;

    /** @param since when it was first seen to be nobody's; {@code read} when its tool was asked last */
    private record Free(Instant since, Instant read, int strange) {}

    private final Map<String, Free> free = new HashMap<>();
    private final Set<String> held = new HashSet<>();
    /** Processes that tasks had, and in which run. */
    private final Map<Long, String> former = new HashMap<>();

    private Map<String, String> occupied = Map.of();
    private Map<Long, String> left = Map.of();

    /** @return whether a device was given back since the last look, so that a new reading of it is wanted */
    boolean look(List<Seen> devices, Known known, Map<String, Usage> usages, Instant at) {
        Map<Long, String> ours = new HashMap<>();
        usages.forEach((run, usage) -> usage.processes().forEach(pid -> ours.put(pid, run)));
        var found = new HashMap<String, String>();
        var behind = new HashMap<Long, String>();
        boolean released = false;
        for (Seen seen : devices) {
            Reading reading = seen.reading();
            if (reading == null || seen.device().simulated()) {
                continue;
            }
            String id = reading.identity().id();
            strange(reading, ours.keySet()).forEach(one -> {
                String run = former.get(one.pid());
                if (run != null) {
                    behind.put(one.pid(), run);
                }
            });
            if (seen.holder() != null) {
                held.add(id);
                free.remove(id);
                continue;
            }
            released |= held.remove(id);
            Known.Device told = known.devices().get(id);
            Free now = free.computeIfAbsent(id, first -> new Free(at, Instant.EPOCH, 0));
            if (told != null
                    && told.current()
                    && told.seen().isAfter(now.since())
                    && !told.seen().equals(now.read())) {
                boolean strange = !strange(reading, ours.keySet()).isEmpty();
                now = new Free(now.since(), told.seen(), strange ? now.strange() + 1 : 0);
                free.put(id, now);
            }
            if (now.strange() >= READINGS) {
                found.put(id, sentence(strange(reading, ours.keySet())));
            }
        }
        remember(ours);
        occupied = Map.copyOf(found);
        left = Map.copyOf(behind);
        return released;
    }

    private void remember(Map<Long, String> ours) {
        if (former.size() > MOST_FORMER) {
            former.clear();
        }
        former.putAll(ours);
    }

    /** By process on a device, the run that left it there. */
    Map<Long, String> left() {
        return left;
    }

    Map<String, String> occupied() {
        return occupied;
    }

    private static List<Reading.Occupant> strange(Reading reading, Set<Long> ours) {
        return Objects.requireNonNullElse(reading.occupants(), List.<Reading.Occupant>of()).stream()
                .filter(one -> !ours.contains(one.pid()))
                .toList();
    }

    /** Names are for administrators only: they are another user's. */
    private String sentence(List<Reading.Occupant> strange) {
        boolean left = strange.stream().anyMatch(one -> former.containsKey(one.pid()));
        String count = strange.size() == 1 ? "a process" : strange.size() + " processes";
        return left
                ? "Used by " + count + " that a task has left behind"
                : "Used by " + count + " that no task has started";
    }
}
