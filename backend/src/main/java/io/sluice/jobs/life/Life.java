package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import io.sluice.jobs.Job;
import io.sluice.jobs.data.Transfers;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.life.Completion.Outcome;
import io.sluice.jobs.life.turns.Turns;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.release.Broken;
import io.vertx.core.Future;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Moves the jobs that hold machines forward. It remembers nothing: {@link #touch} reads what is stored and what the engine said last, and
 * does the next step, so that it does not matter who was killed between two steps, nor how often it is told to look.
 */
final class Life {
    private static final Logger log = System.getLogger(Life.class.getName());
    private static final int STARTS_AT_ONCE = 16;

    private final LifeStore jobs;
    private final TaskStore tasks;
    private final Engine engine;
    private final Launch launch;
    private final Transfers transfers;
    private final Completion completion;
    private final AttemptEnd end;
    private final Failpoint failpoint;
    private final LifeMetrics metrics;
    /** Machines have become free. */
    private final Runnable freed;
    /** Jobs look different. */
    private final Runnable seen;

    private final Map<String, Run> runs = new ConcurrentHashMap<>();
    private final Turns turns;
    private volatile long epoch;

    Life(
            LifeStore jobs,
            TaskStore tasks,
            Engine engine,
            Launch launch,
            Transfers transfers,
            Failpoint failpoint,
            LifeMetrics metrics,
            Runnable freed,
            Runnable seen) {
        this.jobs = jobs;
        this.tasks = tasks;
        this.engine = engine;
        this.launch = launch;
        this.transfers = transfers;
        this.completion = new Completion(ExitCatalogue::of);
        this.failpoint = failpoint;
        this.metrics = metrics;
        this.freed = freed;
        this.seen = seen;
        this.turns = new Turns(this::step, this::failed, seen, metrics::turns);
        this.end = new AttemptEnd(
                jobs,
                tasks,
                engine,
                launch,
                transfers,
                completion,
                failpoint,
                metrics,
                freed,
                seen,
                runs,
                this::lookAgain);
    }

    /** Acts from now on as the leader of this epoch; 0: as nobody. */
    void lead(long epoch) {
        this.epoch = epoch;
        transfers.lead(epoch);
    }

    /** What the engine said of a run. */
    void heard(Run run) {
        runs.merge(run.name(), run, (before, now) -> before.isOver() ? before : now);
        jobOf(run).ifPresent(job -> {
            if (run.isOver()) {
                turns.ends(job);
            }
            touch(job);
        });
    }

    static Optional<Long> jobOf(Run run) {
        String job = run.labels().get(Launch.JOB_LABEL);
        return job == null ? Optional.empty() : Optional.of(Long.valueOf(job));
    }

    /** Something may have changed for this job. */
    void touch(long job) {
        if (epoch != 0) {
            turns.touch(job);
        }
    }

    /** Soon: it is not known whether what was to be done for it is done. */
    void lookAgain(long job) {
        turns.lookAgain(job);
    }

    /** Looks again at the jobs for which the database or the engine could not be reached. */
    void retryFailed() {
        turns.due().forEach(this::touch);
    }

    boolean isIdle() {
        return turns.isIdle();
    }

    private void failed(long job, Throwable e) {
        if (epoch != 0) {
            metrics.failed("job");
            log.log(Level.WARNING, "job={0} step=failed cause=\"{1}\"", Long.toString(job), String.valueOf(e));
        }
    }

    /** One step; whether there may be another. */
    private boolean step(long job) {
        long now = epoch;
        var attempt = tasks.attempt(job, now).await().orElse(null);
        if (attempt == null) {
            return false;
        }
        if (attempt.phase() == Job.Phase.EXITED && turns.ends(job)) {
            return true; // in a turn of that kind
        }
        return attempt.phase() == Job.Phase.EXITED ? end.wind(attempt, now) : proceed(attempt, now);
    }

    private boolean proceed(Attempt attempt, long epoch) {
        var ends = ends(attempt);
        if (!ends.isEmpty()) {
            failpoint.pass("exit.beforeCommit");
            return exited(attempt, ends, epoch);
        }
        var exit = exit(attempt);
        if (exit.isPresent()) {
            return jobs.end(attempt.job(), epoch, exit.get()).await();
        }
        return start(attempt, epoch);
    }

    /** Why the attempt ends, if it does. */
    private Optional<Exit> exit(Attempt attempt) {
        Integer halt = attempt.halt();
        if (attempt.stop()) {
            return Optional.of(
                    halt != null && halt == Exit.IDLE_STOPPED
                            ? Exit.of(Exit.IDLE_STOPPED, "Stopped, as its devices did nothing.")
                            : Exit.of(Exit.STOPPED, "Stopped on request."));
        }
        if (halt != null) {
            return Optional.of(Exit.of(
                    halt,
                    switch (halt) {
                        case Exit.PREEMPTED -> "It gave way to a job of higher priority, and is queued again.";
                        case Exit.IDLE -> "Its devices did nothing, and it is queued again.";
                        default -> "It has run for the longest time that it was allowed.";
                    }));
        }
        var outcomes = attempt.tasks().stream()
                .map(task -> new Outcome(task.role(), task.index(), task.isOver() ? task.exit() : null))
                .toList();
        JobSpec spec = launch.spec(attempt.job()).await().spec();
        return completion
                .ended(spec.roles(), outcomes)
                .map(exit -> explained(exit, attempt.tasks()))
                .or(() -> launch.late(attempt, spec));
    }

    /** What nobody can tell from the code may be a device's fault: then it is none of the job's, and is not counted as one. */
    private Exit explained(Exit exit, List<Attempt.Task> tasks) {
        // who succeeded has given its devices back, and what became of them since is not this job's
        List<Attempt.Task> held =
                tasks.stream().filter(task -> !task.isOver() || isFailed(task)).toList();
        return completion.isUnexplained(exit.code())
                ? broken(held)
                        .map(device -> exit.because(Exit.DEVICE_FAULT, device.message()))
                        .orElse(exit)
                : exit;
    }

    private Optional<Broken> broken(List<Attempt.Task> tasks) {
        var held = tasks.stream()
                .filter(task -> !task.devices().isEmpty())
                .map(task -> new Broken.Held(task.role(), task.index(), task.node(), task.devices()))
                .toList();
        return held.isEmpty()
                ? Optional.empty()
                : engine.inventory()
                        .map(inventory -> Broken.among(inventory, held))
                        .otherwise(Optional.empty()) // the end is not to wait for what may explain it
                        .await();
    }

    /** The tasks whose runs are over. */
    private List<TaskStore.Ended> ends(Attempt attempt) {
        List<TaskStore.Ended> ends = new ArrayList<>();
        for (var task : attempt.tasks()) {
            Run run = runs.get(task.run());
            if (!task.isOver() && run != null && run.isOver()) {
                ends.add(ended(attempt, task, launch.exit(attempt, task, run), run.ended()));
            }
        }
        return ends;
    }

    private TaskStore.Ended ended(Attempt attempt, Attempt.Task task, Exit exit, @Nullable Instant at) {
        var ended = TaskStore.Ended.of(task.id(), exit, AttemptEnd.message(exit), at);
        JobSpec spec = launch.spec(attempt.job()).await().spec();
        if (spec.gang() || attempt.stop() || attempt.halt() != null || attempt.phase() == Job.Phase.EXITED) {
            return ended;
        }
        if (exit.code() != 0
                && isLast(attempt, task, spec.role(task.role()))
                && broken(List.of(task)).isPresent()) {
            return ended; // in its place it would fail again, and all begin anew
        }
        int most = spec.role(task.role()).taskRetryCount();
        return completion
                .again(exit.code(), most, task.retries(), task.userRetries())
                .map(again -> ended.again(again, Launch.nextRun(task)))
                .orElse(ended);
    }

    private static boolean isFailed(Attempt.Task task) {
        Exit exit = task.exit();
        return task.isOver() && exit != null && exit.code() != 0;
    }

    /** Whether the attempt ends if this task has failed for good. */
    private static boolean isLast(Attempt attempt, Attempt.Task task, JobSpec.Role role) {
        Integer failures = role.minFailed();
        long before = attempt.tasks().stream()
                .filter(other -> other.role().equals(task.role()) && isFailed(other))
                .count();
        return failures != null && before + 1 >= failures;
    }

    private boolean exited(Attempt attempt, List<TaskStore.Ended> ends, long epoch) {
        boolean ours = tasks.exited(attempt.job(), epoch, ends).await();
        freed.run();
        return ours;
    }

    /** Starts the next tasks that have not been, some at a time, so that a stop between two lots is seen. */
    private boolean start(Attempt attempt, long epoch) {
        var waiting = attempt.tasks().stream()
                .filter(task -> switch (task.phase()) {
                    case CREATING -> true;
                    case CLAIMED -> task.due();
                    case STARTED -> hasNotBegun(task);
                    case ACCEPTED, QUEUED, EXITED, FINALISED -> false;
                })
                .limit(STARTS_AT_ONCE)
                .toList();
        JobSpec spec = launch.spec(attempt.job()).await().spec();
        if (waiting.isEmpty()) {
            if (attempt.missing().isEmpty()) {
                launch.release(attempt, spec);
            }
            if (transfers.follow(Launch.asked(attempt, epoch, spec))) {
                seen.run();
            }
            return false;
        }
        failpoint.pass("claim.after");
        return switch (transfers.fetch(Launch.asked(attempt, epoch, spec), attempt.isUntouched())) {
            case Transfers.Fetch.Ready ready -> intended(attempt, waiting, epoch);
            case Transfers.Fetch.Going going -> awaited(attempt, Launch.waiting(attempt, going), epoch);
            case Transfers.Fetch.Failed failed -> unfetched(attempt, waiting, failed, epoch);
        };
    }

    /** Where nothing has run, the attempt is over at once: its machines are not to wait for a store. */
    private boolean unfetched(Attempt attempt, List<Attempt.Task> waiting, Transfers.Fetch.Failed failed, long epoch) {
        Exit exit = Exit.of(failed.passing() ? Exit.NOT_FETCHED_YET : Exit.NOT_FETCHED, failed.why());
        return attempt.isUntouched()
                ? jobs.end(attempt.job(), epoch, exit).await()
                : notStarted(attempt, waiting, exit, epoch);
    }

    /** Asked again soon, under the same names. */
    private boolean awaited(Attempt attempt, Waiting why, long epoch) {
        if (tasks.preparing(attempt.job(), epoch, why).await()) {
            seen.run();
        }
        lookAgain(attempt.job());
        return false;
    }

    private boolean intended(Attempt attempt, List<Attempt.Task> waiting, long epoch) {
        var claimed = waiting.stream()
                .filter(task -> task.phase() == Job.Phase.CLAIMED)
                .map(Attempt.Task::id)
                .toList();
        var intended = claimed.isEmpty()
                ? List.<Long>of()
                : tasks.creating(attempt.job(), epoch, claimed).await();
        var starting = waiting.stream()
                .filter(task -> task.phase() != Job.Phase.CLAIMED || intended.contains(task.id()))
                .toList();
        if (starting.isEmpty()) {
            return true;
        }
        return started(attempt, starting, epoch);
    }

    /** Its start was answered, and what was to begin it has died before it could. */
    private boolean hasNotBegun(Attempt.Task task) {
        Run run = runs.get(task.run());
        return run != null && run.state() == Run.State.CREATED;
    }

    private boolean started(Attempt attempt, List<Attempt.Task> starting, long epoch) {
        var spec = launch.spec(attempt.job()).await();
        List<Task> asked;
        try {
            asked = launch.tasks(attempt, starting, spec, epoch);
        } catch (IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            // never asked for, so nothing can run; what the disk did may be over soon, the rest stays as it is
            int code = e instanceof UncheckedIOException ? Exit.CREATION_AGAIN : Exit.CREATION_REFUSED;
            return notStarted(attempt, starting, Exit.of(code, e.getMessage()), epoch);
        }
        var answers = asked.stream().map(engine::start).toList();
        Future.join(answers).otherwiseEmpty().await();
        List<TaskStore.Begun> begun = new ArrayList<>();
        List<TaskStore.Ended> ended = new ArrayList<>();
        Waiting awaited = null;
        for (int i = 0; i < answers.size(); i++) {
            var task = starting.get(i);
            if (answers.get(i).failed()) {
                awaited = Launch.unanswered(attempt, task, answers.get(i).cause());
                metrics.failed("start");
                continue;
            }
            switch (answers.get(i).result()) {
                case Started.Running running -> begun.add(begun(task, running));
                case Started.Preparing later -> awaited = Launch.waiting(attempt, later);
                case Started.Refused refused -> {
                    var role = spec.spec().role(task.role());
                    ended.add(ended(attempt, task, Launch.exit(refused, role), null));
                }
            }
        }
        boolean stored =
                !begun.isEmpty() && tasks.started(attempt.job(), epoch, begun).await();
        boolean refused = !ended.isEmpty() && exited(attempt, ended, epoch);
        metrics.started(begun.size());
        if (awaited != null) {
            awaited(attempt, awaited, epoch); // no answer, or not ready
        }
        return stored || refused;
    }

    private boolean notStarted(Attempt attempt, List<Attempt.Task> tasks, Exit exit, long epoch) {
        return exited(
                attempt,
                tasks.stream().map(task -> ended(attempt, task, exit, null)).toList(),
                epoch);
    }

    private TaskStore.Begun begun(Attempt.Task task, Started.Running running) {
        runs.merge(task.run(), running.run(), (before, now) -> before.isOver() ? before : now);
        return new TaskStore.Begun(task.id(), begunAt(running.run()), running.image());
    }

    private static String begunAt(Run run) {
        Instant started = run.started();
        return (started == null ? Instant.now() : started).toString();
    }

    /** A run that the engine has been told to forget. */
    void forgotten(String run) {
        end.forgotten(run);
    }
}
