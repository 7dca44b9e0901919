package io.sluice.jobs.life;

import io.sluice.jobs.exits.ExitSpec;
import io.sluice.jobs.protocol.JobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** OpenPAI's rules of when an attempt is over, and whether there is another. Pure. */
final class Completion {
    private static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(10);

    private final IntFunction<ExitSpec> catalogue;

    Completion(IntFunction<ExitSpec> catalogue) {
        this.catalogue = catalogue;
    }

    /** @param exit null while it runs; of a task that is retried, the last attempt's */
    record Outcome(String role, int index, @Nullable Exit exit) {
        boolean failed() {
            return exit != null && exit.code() != 0;
        }

        boolean succeeded() {
            return exit != null && exit.code() == 0;
        }
    }

    /** @param accountable whether it counts against the limit */
    record Again(Duration after, boolean accountable) {}

    /**
     * How the attempt ends by what its tasks have done, or nothing while it goes on.
     *
     * @param tasks in the order in which they ended
     */
    Optional<Exit> ended(List<JobSpec.Role> roles, List<Outcome> tasks) {
        for (var role : roles) {
            var own = tasks.stream()
                    .filter(task -> task.role().equals(role.name()))
                    .toList();
            var failed = own.stream().filter(Outcome::failed).toList();
            var succeeded = own.stream().filter(Outcome::succeeded).toList();
            Integer mostFailed = role.minFailed();
            if (mostFailed != null && failed.size() >= mostFailed) {
                var trigger = failed.get(mostFailed - 1);
                return Optional.ofNullable(trigger.exit())
                        .map(exit -> exit.broughtBy(
                                trigger.role(),
                                trigger.index(),
                                "FailedTaskCount %d has reached MinFailedTaskCount %d in the TaskRole"
                                        .formatted(failed.size(), mostFailed)));
            }
            Integer enough = role.minSucceeded();
            if (enough != null && succeeded.size() >= enough) {
                var trigger = succeeded.get(enough - 1);
                return Optional.of(Exit.of(0, null)
                        .broughtBy(
                                trigger.role(),
                                trigger.index(),
                                "SucceededTaskCount %d has reached MinSucceededTaskCount %d in the TaskRole"
                                        .formatted(succeeded.size(), enough)));
            }
        }
        int all = roles.stream().mapToInt(JobSpec.Role::instances).sum();
        long over = tasks.stream().filter(task -> task.exit() != null).count();
        return over < all
                ? Optional.empty()
                : Optional.of(Exit.of(0, null).broughtBy(null, null, "All tasks are completed"));
    }

    /**
     * Whether what ended so is tried again: what is nobody's fault always, a fault of the job's never, and where that is not known as often
     * as was asked for.
     *
     * @param retries so far, without those after it gave way
     * @param most -2: always, also after success; -1: after any failure
     */
    Optional<Again> again(int code, int most, int retries, int accountable) {
        if (Exit.isStop(code) || code == Exit.OUT_OF_TIME) {
            return Optional.empty();
        }
        if (code == Exit.PREEMPTED) {
            return Optional.of(new Again(
                    Duration.ZERO, false)); // it did nothing wrong: its place in the queue is all it waits for
        }
        if (most == -2) {
            return Optional.of(new Again(backOff(retries), true));
        }
        if (code == 0) {
            return Optional.empty();
        }
        return switch (catalogue.apply(code).behavior()) {
            case TRANSIENT, TRANSIENT_CONFLICT -> Optional.of(new Again(backOff(retries - accountable), false));
            case PERMANENT -> Optional.empty();
            case UNKNOWN ->
                most == -1 || accountable < most ? Optional.of(new Again(Duration.ZERO, true)) : Optional.empty();
        };
    }

    /** Whether a failure's code does not tell whose fault it is. */
    boolean isUnexplained(int code) {
        return code != 0 && catalogue.apply(code).behavior() == ExitSpec.Behavior.UNKNOWN;
    }

    /** At once the first time, then twice as long each time: what never gets better must not keep a machine busy. */
    private static Duration backOff(int before) {
        if (before == 0) {
            return Duration.ZERO;
        }
        var doubled = Duration.ofSeconds(1L << Math.min(before - 1, 20));
        return doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
    }
}
