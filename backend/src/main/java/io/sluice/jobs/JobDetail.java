package io.sluice.jobs;

import io.sluice.jobs.gang.Gang;
import io.sluice.jobs.gang.Place;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.protocol.JobSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job with all of its tasks, in one of its attempts.
 *
 * @param ran for how long the present attempt has run, as counted against the limit; of a job without one, nothing
 * @param attempt the one that is shown
 * @param tasks the newest attempt of each task that has got its place, in the order of roles and indexes
 * @param config as it was sent, secrets masked
 */
public record JobDetail(Job job, JobSpec spec, String config, Duration ran, Attempt attempt, List<Task> tasks) {

    /** @param created when it got its machines, null: not yet */
    public record Attempt(
            int number,
            @Nullable Instant created,
            @Nullable Instant launched,
            @Nullable Instant completed,
            @Nullable Exit exit) {}

    /**
     * An attempt of a task.
     *
     * @param first when the task's first attempt was created, and {@code begun} when it was launched
     * @param log name of the file with its output, beneath the job's folder
     */
    public record Task(
            long id,
            String role,
            int index,
            int attempt,
            Job.Phase phase,
            String node,
            String address,
            List<String> devices,
            Map<String, List<Integer>> ports,
            @Nullable Place place,
            int retries,
            int userRetries,
            Instant first,
            @Nullable Instant begun,
            Instant created,
            @Nullable Instant launched,
            @Nullable Instant completed,
            @Nullable Exit exit,
            String log) {}

    /**
     * What an attempt of a task prints.
     *
     * @param completed when nothing more could be added to it; null: not yet
     */
    public record Output(
            long task,
            long job,
            Path file,
            @Nullable Instant launched,
            @Nullable Instant completed,
            @Nullable Integer exitCode) {}

    /** Something that happened to a job. */
    public record Event(
            long id,
            Instant at,
            int attempt,
            @Nullable String role,
            @Nullable Integer index,
            boolean warning,
            String reason,
            String message) {}

    /** What its tasks were told of one another. */
    public Gang gang() {
        return Gang.of(
                spec,
                job.user(),
                job.id(),
                attempt.number(),
                tasks.stream()
                        .map(task ->
                                new Gang.Seat(task.role(), task.index(), task.address(), task.ports(), task.place()))
                        .toList());
    }

    /** The tasks of a role that is shown; fewer than its instances while the job waits. */
    public List<Task> tasks(String role) {
        return tasks.stream().filter(task -> task.role().equals(role)).toList();
    }

    public boolean isPresent() {
        return attempt.number() == job.attempt();
    }

    /** How long each attempt may run; null: for ever. */
    public @Nullable Duration limit() {
        Integer seconds = spec.maxRunSeconds();
        return seconds == null ? null : Duration.ofSeconds(seconds);
    }

    /** How much of that is left to the attempt that is shown; null: there is no limit, or it does not run. */
    public @Nullable Duration left() {
        Duration limit = limit();
        if (limit == null || !isPresent() || job.phase() != Job.Phase.STARTED) {
            return null;
        }
        return ran.compareTo(limit) < 0 ? limit.minus(ran) : Duration.ZERO;
    }

    /** How the attempt that is shown stands. */
    public Job.State state() {
        Exit exit = attempt.exit();
        return exit != null && attempt.completed() != null ? Job.State.ofExit(exit.code()) : job.state();
    }

    /** How a task of it stands. */
    public Job.State state(Task task) {
        return switch (task.phase()) {
            case ACCEPTED, QUEUED, CLAIMED, CREATING -> Job.State.WAITING;
            case STARTED -> isPresent() && job.phase() == Job.Phase.EXITED ? Job.State.STOPPING : Job.State.RUNNING;
            case EXITED, FINALISED -> ended(task.exit());
        };
    }

    /** Of a task that has no place yet, or never got one. */
    public Job.State stateOfUnplaced() {
        return job.isFinal() && isPresent() ? job.state() : Job.State.WAITING;
    }

    private static Job.State ended(@Nullable Exit exit) {
        return exit == null ? Job.State.UNKNOWN : Job.State.ofExit(exit.code());
    }
}
