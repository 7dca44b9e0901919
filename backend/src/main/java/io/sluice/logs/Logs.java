package io.sluice.logs;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.database.Migrations;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.logs.files.Instants;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.follow.Tails;
import io.sluice.logs.keep.Keeper;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The door to logs. Whoever may not see a job is told that it does not exist, by {@link Jobs}. */
public final class Logs {
    public static final Migrations MIGRATIONS = new Migrations("logs", Logs.class, List.of("001-logs", "002-jobs"));

    /** What WebSockets on a log speak. */
    public static final String SUBPROTOCOL = "sluice.logs.v1";

    private static final int FILE_THREADS = 4;
    private static final int FILE_CALLS = 4_096;

    /**
     * @param data the data folder
     * @param limit bytes of one log, beyond which its middle goes
     * @param total bytes of all finished logs, beyond which the oldest go
     * @param age after which a finished log goes
     * @param settled after which a finished log is compressed
     * @param instants for tests in which the gateway dies
     */
    public record Settings(Path data, long limit, long total, Duration age, Duration settled, Instants instants) {
        public static final long LEAST = 64L << 20;

        public Settings(Path data, long limit, long total, Duration age, Duration settled) {
            this(data, limit, total, age, settled, Instants.NONE);
        }

        public Settings with(Instants told) {
            return new Settings(data, limit, total, age, settled, told);
        }

        public static Settings of(Path data) {
            return new Settings(data, 10L << 30, 100L << 30, Duration.ofDays(90), Duration.ofMinutes(15));
        }
    }

    private final Jobs jobs;
    private final Worker worker;
    private final Worker searcher;
    private final Turns turns;
    private final LogMetrics metrics;
    private final Tails tails;
    private final Doorbell.Subscription subscription;
    private final Keeper keeper;

    private Logs(Vertx vertx, Database database, Jobs jobs, CollectorRegistry registry, Keeper keeper) {
        this.jobs = jobs;
        this.metrics = new LogMetrics(registry);
        this.worker = new Worker(vertx, "logs", FILE_THREADS, FILE_CALLS, metrics);
        this.searcher = new Worker(vertx, "log-search", Turns.ADMITTED, Turns.ADMITTED, metrics);
        this.turns = new Turns(searcher, metrics);
        this.tails = new Tails(vertx, worker, this::ended, registry);
        this.subscription = database.doorbell().listen(Jobs.TOPIC, tails::ring);
        this.keeper = keeper;
    }

    /** With the tables of {@link #MIGRATIONS} in place. */
    public static Future<Logs> open(
            Vertx vertx, Database database, Jobs jobs, CollectorRegistry registry, Settings settings) {
        return vertx.executeBlocking(() -> Keeper.open(jobs, database, settings, registry))
                .map(keeper -> new Logs(vertx, database, jobs, registry, keeper))
                .onSuccess(logs -> logs.keeper.start(logs.tails::read));
    }

    public List<Route> routes() {
        return Stream.of(
                        new LogRoutes(this).routes(),
                        new IndexRoutes(this).routes(),
                        new PanelRoutes(this, jobs).routes())
                .flatMap(List::stream)
                .toList();
    }

    /** The log of a task attempt, if the caller may read it. A log that was deleted is told from one that never was. */
    public Future<Log> log(Caller caller, Task task) {
        return find(caller, task)
                .compose(log -> worker.run(() -> {
                    log.checkPresent();
                    return log;
                }));
    }

    /** The same, even if it was deleted. */
    Future<Log> find(Caller caller, Task task) {
        return jobs.job(caller, task.user(), task.job())
                .compose(job -> jobs.taskAttempts(job, task.attempt(), task.role(), task.index())
                        .map(attempts -> attempts.stream()
                                .filter(one -> one.attempt() == task.taskAttempt())
                                .findFirst()
                                .map(found -> new Log(job, task.attempt(), found, new LogFile(jobs.output(job, found))))
                                .orElseThrow(() -> noLog(job, task))));
    }

    /** Which task attempt is meant. */
    public record Task(String user, String job, int attempt, String role, int index, int taskAttempt) {}

    private static Problem noLog(Job job, Task task) {
        return Problem.of(
                Problem.Kind.NOT_FOUND,
                "NoTaskLogError",
                "Task " + task.role() + " " + task.index() + " of job " + job.key() + " has no log of attempt "
                        + task.attempt() + "." + task.taskAttempt() + ": it has not begun, or there is no such task.");
    }

    private Future<List<Tails.Ended>> ended(Collection<Long> tasks) {
        return jobs.outputs(tasks)
                .map(outputs -> outputs.stream()
                        .filter(output -> output.completed() != null)
                        .map(output -> new Tails.Ended(output.task(), output.exitCode()))
                        .toList());
    }

    Tails tails() {
        return tails;
    }

    Worker worker() {
        return worker;
    }

    Turns turns() {
        return turns;
    }

    LogMetrics metrics() {
        return metrics;
    }

    /** What is followed is closed by the edge; what is being kept is finished or begun again later. */
    public Future<Void> close() {
        subscription.cancel();
        tails.close();
        keeper.close();
        return Future.join(worker.close(), searcher.close()).mapEmpty();
    }
}
