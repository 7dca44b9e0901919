package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Run;
import io.sluice.jobs.Job;
import io.sluice.jobs.data.Transfers;
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Brings an attempt to its end, once that is decided: what still runs is stopped; then there is another attempt, or the job is over. */
final class AttemptEnd {
    private static final Logger log = System.getLogger(AttemptEnd.class.getName());
    private static final Duration GRACE = Duration.ofSeconds(10);
    /** A task that is still there so long after it was told to end has perhaps never heard of it. */
    private static final long DEAF_NANOS = GRACE.plusSeconds(10).toNanos();

    private static final int STOPS_AT_ONCE = 16;

    private final LifeStore jobs;
    private final TaskStore tasks;
    private final Engine engine;
    private final Launch launch;
    private final Transfers transfers;
    private final Completion completion;
    private final Failpoint failpoint;
    private final LifeMetrics metrics;
    private final Runnable freed;
    private final Runnable seen;
    private final Map<String, Run> runs;
    /** A job is to be looked at soon. */
    private final LongConsumer later;

    /** When the engine took each request to stop: a task that saves its state is not to be told again whenever another has ended. */
    private final Map<String, Long> told = new ConcurrentHashMap<>();

    AttemptEnd(
            LifeStore jobs,
            TaskStore tasks,
            Engine engine,
            Launch launch,
            Transfers transfers,
            Completion completion,
            Failpoint failpoint,
            LifeMetrics metrics,
            Runnable freed,
            Runnable seen,
            Map<String, Run> runs,
            LongConsumer later) {
        this.jobs = jobs;
        this.tasks = tasks;
        this.engine = engine;
        this.launch = launch;
        this.transfers = transfers;
        this.completion = completion;
        this.failpoint = failpoint;
        this.metrics = metrics;
        this.freed = freed;
        this.seen = seen;
        this.runs = runs;
        this.later = later;
    }

    /** The next step towards the end; whether there may be another. */
    boolean wind(Attempt attempt, long epoch) {
        var live = attempt.tasks().stream().filter(task -> !task.isOver()).toList();
        if (live.isEmpty()) {
            return conclude(attempt, epoch);
        }
        List<TaskStore.Ended> ends = new ArrayList<>();
        List<Attempt.Task> going = new ArrayList<>();
        for (var task : live) {
            Run run = runs.get(task.run());
            if (task.phase() == Job.Phase.CLAIMED) {
                ends.add(notStarted(attempt, task));
            } else if (run != null && run.isOver()) {
                Exit own = launch.exit(attempt, task, run);
                Exit exit = own.code() == 0 ? own : attempt.ending();
                ends.add(TaskStore.Ended.of(task.id(), exit, message(exit), run.ended()));
            } else {
                going.add(task);
            }
        }
        // a stop that fails is tried again, and keeps no end that is known from being stored
        Future<List<TaskStore.Ended>> unheard = stop(going).compose(told -> unknown(attempt, going));
        ends.addAll(unheard.otherwise(List.of()).await());
        boolean more = ends.isEmpty() ? going.stream().anyMatch(this::isOver) : store(attempt, epoch, ends);
        unheard.await();
        return more;
    }

    private boolean store(Attempt attempt, long epoch, List<TaskStore.Ended> ends) {
        boolean ours = tasks.exited(attempt.job(), epoch, ends).await();
        freed.run();
        return ours;
    }

    private boolean isOver(Attempt.Task task) {
        Run run = runs.get(task.run());
        return run != null && run.isOver();
    }

    private static TaskStore.Ended notStarted(Attempt attempt, Attempt.Task task) {
        return TaskStore.Ended.of(task.id(), attempt.ending(), "Not started any more", null);
    }

    /** Some at a time, each once. Where one fails the others have their turn, unless none was answered; the first failure is the answer. */
    private Future<Void> stop(List<Attempt.Task> going) {
        long now = System.nanoTime();
        var names = going.stream()
                .map(Attempt.Task::run)
                .filter(run -> now - told.getOrDefault(run, now - DEAF_NANOS) >= DEAF_NANOS)
                .toList();
        if (!names.isEmpty()) {
            told.values().removeIf(at -> now - at >= DEAF_NANOS);
        }
        Future<Void> all = Future.succeededFuture();
        boolean answers = true;
        for (int from = 0; answers && from < names.size(); from += STOPS_AT_ONCE) {
            failpoint.pass("cancel.afterIntent");
            var lot = names.subList(from, Math.min(from + STOPS_AT_ONCE, names.size())).stream()
                    .map(run -> engine.stop(run, GRACE).onSuccess(taken -> told.put(run, System.nanoTime())))
                    .toList();
            Future<Void> joined = Future.join(lot).mapEmpty();
            joined.otherwiseEmpty().await();
            all = all.failed() ? all : joined;
            answers = lot.stream().anyMatch(stop -> !(stop.cause() instanceof Engine.Unavailable));
        }
        return all;
    }

    /** Tasks whose start was intended, and which the engine may or may not have begun: they will not begin any more, so the list tells. */
    private Future<List<TaskStore.Ended>> unknown(Attempt attempt, List<Attempt.Task> going) {
        var unheard =
                going.stream().filter(task -> !runs.containsKey(task.run())).toList();
        return unheard.isEmpty()
                ? Future.succeededFuture(List.of())
                : engine.list().map(there -> unknown(attempt, unheard, there));
    }

    private List<TaskStore.Ended> unknown(Attempt attempt, List<Attempt.Task> unheard, List<Run> there) {
        Map<String, Run> found =
                there.stream().collect(Collectors.toMap(Run::name, Function.identity(), (one, other) -> one));
        List<TaskStore.Ended> ends = new ArrayList<>();
        for (var task : unheard) {
            Run run = found.get(task.run());
            if (run == null) {
                ends.add(notStarted(attempt, task));
            } else {
                runs.putIfAbsent(task.run(), run);
            }
        }
        return ends;
    }

    private boolean conclude(Attempt attempt, long epoch) {
        var asked =
                Launch.asked(attempt, epoch, launch.spec(attempt.job()).await().spec());
        if (!transfers.leaveOff(attempt.job()) || !transfers.isReturned(asked)) {
            later.accept(attempt.job());
            seen.run(); // how far its data is
            return false;
        }
        Exit exit = attempt.exit();
        int code = exit == null ? Exit.STOPPED : exit.code();
        var again = attempt.stop()
                ? Optional.<Completion.Again>empty()
                : completion.again(code, attempt.retryCount(), attempt.faults(), attempt.userRetries());
        if (again.isPresent()) {
            jobs.retry(attempt.job(), epoch, again.get(), retryMessage(code, again.get()))
                    .await();
            jobs.requeueDue().await();
            freed.run();
        } else {
            var state = Job.State.ofExit(code);
            jobs.finalise(attempt.job(), epoch, state, finalMessage(state, exit))
                    .await();
            metrics.finalised(state);
            forget(attempt);
        }
        seen.run();
        for (var task : attempt.tasks()) {
            forget(task.run());
        }
        try {
            launch.forget(attempt);
        } catch (IOException e) { // the reconciler comes by
            log.log(Level.WARNING, "job={0} gang=left cause=\"{1}\"", Long.toString(attempt.job()), e.getMessage());
        }
        return false;
    }

    /** What was fetched for it. */
    private void forget(Attempt attempt) {
        try {
            transfers.forget(attempt.job(), attempt.userId());
        } catch (IOException e) { // the reconciler comes by
            log.log(Level.WARNING, "job={0} data=left cause=\"{1}\"", Long.toString(attempt.job()), e.getMessage());
        }
    }

    /** Only now that its outcome is stored. What can not be removed now is found again by the reconciler. */
    private void forget(String run) {
        engine.remove(run).onComplete(removed -> forgotten(run));
    }

    /** A run that the engine has been told to forget. */
    void forgotten(String run) {
        runs.remove(run);
        told.remove(run);
    }

    static String message(Exit exit) {
        String more = exit.message() == null ? "" : ": " + exit.message();
        return "Exited with " + exit.code() + more;
    }

    private static String retryMessage(int code, Completion.Again again) {
        String pause =
                again.after().isZero() ? "at once" : "after " + again.after().toSeconds() + " s";
        return "The attempt ended with " + code + "; the next begins " + pause + ".";
    }

    private static String finalMessage(Job.State state, @Nullable Exit exit) {
        if (state == Job.State.SUCCEEDED) {
            return "The job succeeded.";
        }
        if (state == Job.State.STOPPED) {
            return "The job is stopped.";
        }
        return exit == null ? "The job failed." : "The job failed: " + message(exit);
    }
}
