package io.sluice.telemetry.exposition;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The processes on devices, where their tool tells of them: whose each is, and those that are nobody's, with OpenPAI's names. Without their own
 * names, which are whatever their users like.
 */
final class Processes {
    /** Of one device. */
    private static final int MOST = 64;

    private static final String MEMORY = "accelerator_process_memory_bytes";
    private static final String EXTERNAL = "gpu_used_by_external_process_count";
    private static final String ZOMBIE = "gpu_used_by_zombie_container_count";

    private final Round round;
    private final Map<Long, Holder> ours = new HashMap<>();
    /** Tasks whose processes are known. */
    private final Set<Long> known = new HashSet<>();

    private Processes(Round round) {
        this.round = round;
        for (Doing doing : round.seen().tasks()) {
            if (doing.usage() != null) {
                known.add(doing.holder().task());
                doing.usage().processes().forEach(pid -> ours.put(pid, doing.holder()));
            }
        }
    }

    static void write(Round round) {
        var processes = new Processes(round);
        processes.memory();
        processes.strange(EXTERNAL, "1 for a process on a device that no task has started", false);
        processes.strange(ZOMBIE, "1 for a task that is over and has left a process on a device", true);
    }

    private void memory() {
        boolean begun = false;
        for (int at = 0; at < round.seen().devices().size(); at++) {
            Reading reading = told(at);
            if (reading == null || reading.occupants() == null) {
                continue;
            }
            int count = 0;
            for (Occupant one : reading.occupants()) {
                if (!Double.isNaN(one.memory()) && ++count <= MOST) {
                    begun = begun || round.head(MEMORY, "gauge", "Memory of a device that a process on it has");
                    round.line(round.name(MEMORY), labels(round.device(at), one), one.memory());
                }
            }
        }
    }

    private @Nullable Reading told(int at) {
        Seen seen = round.seen().devices().get(at);
        return seen.current() && !seen.device().simulated() ? seen.reading() : null;
    }

    private byte[] labels(OfDevice device, Occupant one) {
        Holder holder = ours.get(one.pid());
        return Labels.encoded(
                "node", device.node(),
                "device", device.id(),
                "pid", Long.toString(one.pid()),
                "job_id", holder == null ? "" : holder.key(),
                "task_id", holder == null ? "" : holder.taskKey());
    }

    private void strange(String name, String help, boolean left) {
        boolean begun = false;
        for (int at = 0; at < round.seen().devices().size(); at++) {
            Seen seen = round.seen().devices().get(at);
            Reading reading = told(at);
            if (reading == null || reading.occupants() == null || !isKnown(seen)) {
                continue;
            }
            int count = 0;
            var told = new HashSet<String>();
            for (Occupant one : reading.occupants()) {
                String run = round.seen().former().get(one.pid());
                if (!ours.containsKey(one.pid())
                        && left == (run != null)
                        && (run == null || told.add(run))
                        && ++count <= MOST) {
                    begun = begun || round.head(name, "gauge", help);
                    round.line(
                            round.name(name),
                            Labels.encoded(
                                    "node",
                                    seen.node(),
                                    "minor_number",
                                    round.device(at).minor(),
                                    run == null ? "pid" : "container_id",
                                    run == null ? Long.toString(one.pid()) : run),
                            1);
                }
            }
        }
    }

    /** Whose processes are not known has none of strangers. */
    private boolean isKnown(Seen seen) {
        Holder holder = seen.holder();
        return holder == null || known.contains(holder.task());
    }
}
