package io.sluice.jobs;

import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Waiting;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A job, as lists show it.
 *
 * @param user who submitted it; with {@code name} what OpenPAI knows it by
 * @param priorityClass as the user named it, null: none
 * @param attempt the number of the present one, from 0
 * @param retries all of them; {@code userRetries} are those that count against its limit
 * @param stop whether it was asked to stop, which may still be under way
 * @param due when it is tried again
 * @param created when its first attempt got its devices
 * @param waiting why it does not run, while it waits
 * @param doubt why it is not known how it fares, null: it is known
 */
public record Job(
        long id,
        long userId,
        String user,
        String name,
        String virtualCluster,
        int priority,
        @Nullable String priorityClass,
        State state,
        Phase phase,
        int attempt,
        int tasks,
        int roles,
        int devices,
        int retries,
        int userRetries,
        boolean stop,
        @Nullable Instant due,
        Instant submitted,
        @Nullable Instant created,
        @Nullable Instant launched,
        @Nullable Instant completed,
        @Nullable Integer exitCode,
        @Nullable Waiting waiting,
        @Nullable String doubt,
        List<String> tags) {

    /** What everybody outside sees, in OpenPAI's words. */
    public enum State {
        WAITING,
        RUNNING,
        STOPPING,
        STOPPED,
        SUCCEEDED,
        FAILED,
        UNKNOWN;

        public static final Set<State> FINAL = Set.of(STOPPED, SUCCEEDED, FAILED);

        /** How an attempt that ended so is called. */
        public static State ofExit(int code) {
            return code == 0 ? SUCCEEDED : Exit.isStop(code) ? STOPPED : FAILED;
        }
    }

    /** How far it is. */
    public enum Phase {
        /** An attempt is over, and another follows when it is due. */
        ACCEPTED,
        QUEUED,
        /** Has its devices and ports; no engine has been asked yet. */
        CLAIMED,
        /** An engine may have been asked. */
        CREATING,
        STARTED,
        /** How the attempt ends is decided; what still runs of it is being stopped. */
        EXITED,
        FINALISED;

        private static final Map<String, Phase> COLUMNS = Arrays.stream(values())
                .collect(Collectors.toUnmodifiableMap(phase -> phase.name().toLowerCase(Locale.ROOT), phase -> phase));

        public static Phase ofColumn(String column) {
            return Objects.requireNonNull(COLUMNS.get(column), column);
        }

        /** What OpenPAI calls it: the state of a framework. */
        public String subState() {
            return switch (this) {
                case ACCEPTED -> "AttemptCompleted";
                case QUEUED -> "AttemptCreationPending";
                case CLAIMED -> "AttemptCreationRequested";
                case CREATING -> "AttemptPreparing";
                case STARTED -> "AttemptRunning";
                case EXITED -> "AttemptDeleting";
                case FINALISED -> "Completed";
            };
        }
    }

    /** {@code user~job}. */
    public String key() {
        return user + "~" + name;
    }

    public boolean isFinal() {
        return phase == Phase.FINALISED;
    }

    public boolean isStoppable() {
        return !stop && !isFinal();
    }

    /** What programs are told of it among many others. */
    public record Summary(
            long id,
            String user,
            String name,
            String virtualCluster,
            @Nullable String priorityClass,
            State state,
            Phase phase,
            int tasks,
            int roles,
            int devices,
            int retries,
            int userRetries,
            boolean stop,
            @Nullable Instant due,
            Instant submitted,
            @Nullable Instant launched,
            @Nullable Instant completed,
            @Nullable Integer exitCode,
            List<String> tags) {

        public String key() {
            return user + "~" + name;
        }
    }

    public Summary summary() {
        return new Summary(
                id,
                user,
                name,
                virtualCluster,
                priorityClass,
                state,
                phase,
                tasks,
                roles,
                devices,
                retries,
                userRetries,
                stop,
                due,
                submitted,
                launched,
                completed,
                exitCode,
                tags);
    }

    Job waitingFor(Waiting reason) {
        return new Job(
                id,
                userId,
                user,
                name,
                virtualCluster,
                priority,
                priorityClass,
                state,
                phase,
                attempt,
                tasks,
                roles,
                devices,
                retries,
                userRetries,
                stop,
                due,
                submitted,
                created,
                launched,
                completed,
                exitCode,
                reason,
                doubt,
                tags);
    }
}
