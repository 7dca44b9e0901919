package io.sluice.jobs.lists;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task attempt that has a place on a machine, from when it got it until nothing of it is left.
 *
 * @param run its name with the engine
 * @param cluster the virtual cluster
 * @param cpus that it asked for, 0: it did not say; {@code memoryMB} likewise
 * @param launched null: it has not begun yet
 */
public record Holder(
        long task,
        long job,
        String user,
        String name,
        String cluster,
        int attempt,
        String role,
        int index,
        int taskAttempt,
        String run,
        String node,
        List<String> devices,
        int cpus,
        int memoryMB,
        @Nullable Instant launched) {

    public Holder {
        devices = List.copyOf(devices);
    }

    Holder since(Instant begun) {
        return new Holder(
                task,
                job,
                user,
                name,
                cluster,
                attempt,
                role,
                index,
                taskAttempt,
                run,
                node,
                devices,
                cpus,
                memoryMB,
                begun);
    }

    /** {@code user~job}. */
    public String key() {
        return user + "~" + name;
    }

    /** Which of the job's tasks it is, in one word. */
    public String taskKey() {
        return attempt + "." + role + "." + index + "." + taskAttempt;
    }
}
