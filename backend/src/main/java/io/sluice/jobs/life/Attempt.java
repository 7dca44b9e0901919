package io.sluice.jobs.life;

import io.sluice.jobs.Job;
import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.gang.Place;
import io.sluice.jobs.protocol.JobSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The present attempt of a job that holds machines, as {@link Life} works on it.
 *
 * @param halt the code with which the scheduler wants it to end, null: it does not
 * @param preemptions how many of the retries followed an attempt that gave way; known once the attempt's end is decided
 * @param exit how it ends, once that is decided
 * @param tasks the newest attempt of each, in the order in which they ended, those that have not last
 */
record Attempt(
        long job,
        long userId,
        String user,
        String name,
        String virtualCluster,
        Job.Phase phase,
        int number,
        boolean stop,
        @Nullable Integer halt,
        int retryCount,
        int retries,
        int userRetries,
        int preemptions,
        @Nullable Exit exit,
        List<Task> tasks) {

    /** {@code due}: whether it may be started by now. */
    record Task(
            long id,
            int roleNumber,
            String role,
            int index,
            int attempt,
            Job.Phase phase,
            String run,
            String node,
            String address,
            List<String> devices,
            Map<String, List<Integer>> ports,
            @Nullable Place place,
            int retries,
            int userRetries,
            boolean due,
            @Nullable Instant launched,
            @Nullable Exit exit) {

        boolean isOver() {
            return phase == Job.Phase.EXITED;
        }
    }

    /** Those of its tasks that have not begun. */
    List<String> missing() {
        return tasks.stream()
                .filter(task -> task.phase() != Job.Phase.STARTED && !task.isOver())
                .map(task -> task.role() + " " + task.index())
                .toList();
    }

    Gang gang(JobSpec spec) {
        return Gang.of(
                spec,
                user,
                job,
                number,
                tasks.stream()
                        .map(task ->
                                new Gang.Seat(task.role(), task.index(), task.address(), task.ports(), task.place()))
                        .toList());
    }

    /** How often it was tried again because something went wrong. */
    int faults() {
        return Math.max(0, retries - preemptions);
    }

    /** Whether nothing has run in it, nor may have. */
    boolean isUntouched() {
        return tasks.stream().allMatch(task -> task.phase() == Job.Phase.CLAIMED && task.retries() == 0);
    }

    /** How a task ends that is stopped because the attempt is over. */
    Exit ending() {
        int code = exit == null ? Exit.ATTEMPT_OVER : exit.code();
        return switch (code) {
            case Exit.STOPPED -> Exit.of(Exit.STOPPED, "Stopped on request.");
            case Exit.PREEMPTED,
                    Exit.OUT_OF_TIME,
                    Exit.IDLE,
                    Exit.IDLE_STOPPED,
                    Exit.NOT_FETCHED,
                    Exit.NOT_FETCHED_YET -> Exit.of(code, exit == null ? null : exit.message());
            default -> Exit.of(Exit.ATTEMPT_OVER, "Stopped because the attempt was over.");
        };
    }
}
