package io.sluice.telemetry.exposition;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
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

    private static final byte[] NOBODY = Labels.ended("job_id", "", "task_id", "");
    private static final byte[] NO_MORE = "} ".getBytes(StandardCharsets.US_ASCII);

    private final Round round;
    private final Map<Long, OfTask> ours = new HashMap<>();
    /** Tasks whose processes are known. */
    private final Set<Long> known = new HashSet<>();

    private Processes(Round round) {
        this.round = round;
        List<Doing> tasks = round.seen().tasks();
        for (int at = 0; at < tasks.size(); at++) {
            Doing doing = tasks.get(at);
            if (doing.usage() != null) {
                OfTask task = round.task(at);
                known.add(doing.holder().task());
                doing.usage().processes().forEach(pid -> ours.put(pid, task));
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
                    OfTask task = ours.get(one.pid());
                    byte[] owner = task == null ? NOBODY : task.owner();
                    round.process(round.name(MEMORY), round.device(at).begun(), one.pid(), owner, one.memory());
                }
            }
        }
    }

    private @Nullable Reading told(int at) {
        Seen seen = round.seen().devices().get(at);
        return seen.current() && !seen.device().simulated() ? seen.reading() : null;
    }

    private void strange(String name, String help, boolean left) {
        boolean begun = false;
        for (int at = 0; at < round.seen().devices().size(); at++) {
            Seen seen = round.seen().devices().get(at);
            Reading reading = told(at);
            if (reading == null || reading.occupants() == null || !isKnown(seen)) {
                continue;
            }
            List<Occupant> strangers = strangers(reading.occupants(), left);
            if (!strangers.isEmpty()) {
                begun = begun || round.head(name, "gauge", help);
                lines(round.name(name), round.device(at), strangers);
            }
        }
    }

    /** Those that are nobody's; of what one run has left behind one process stands for all. */
    private List<Occupant> strangers(List<Occupant> occupants, boolean left) {
        List<Occupant> strangers = List.of();
        for (Occupant one : occupants) {
            String run = former(one);
            if (ours.containsKey(one.pid()) || left != (run != null) || strangers.size() == MOST) {
                continue;
            }
            strangers = strangers.isEmpty() ? new ArrayList<>() : strangers;
            if (run == null || strangers.stream().noneMatch(other -> run.equals(former(other)))) {
                strangers.add(one);
            }
        }
        return strangers;
    }

    private @Nullable String former(Occupant one) {
        return round.seen().former().get(one.pid());
    }

    private void lines(byte[] name, OfDevice device, List<Occupant> strangers) {
        for (Occupant one : strangers) {
            String run = former(one);
            if (run == null) {
                round.process(name, device.oldBegun(), one.pid(), NO_MORE, 1);
            } else {
                round.line(
                        name,
                        Labels.encoded("node", device.node(), "minor_number", device.minor(), "container_id", run),
                        1);
            }
        }
    }

    /** Whose processes are not known has none of strangers. */
    private boolean isKnown(Seen seen) {
        Holder holder = seen.holder();
        return holder == null || known.contains(holder.task());
    }
}
