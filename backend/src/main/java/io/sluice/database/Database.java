package io.sluice.database;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The door to PostgreSQL: an embedded server in the data folder, or the one a URL names. Once started, every call answers within
 * {@link Settings#queryTimeout()}, with a value, the database's own refusal, or {@link Unavailable}.
 */
public final class Database {

    private static final int FIRST_ATTEMPTS = 5;
    private static final Duration START = Duration.ofSeconds(90);
    private static final long POOL_CLOSE_MILLIS = 500;

    private final Settings settings;
    private final Leases leases;
    private final Pool pool;
    private final Doorbell doorbell;
    private final Migrator migrator;
    private final Supplier<Future<Void>> server;

    private Database(
            Settings settings, Leases leases, Doorbell doorbell, Migrator migrator, Supplier<Future<Void>> server) {
        this.settings = settings;
        this.leases = leases;
        this.pool = new LeasedPool(leases);
        this.doorbell = doorbell;
        this.migrator = migrator;
        this.server = server;
    }

    /** Fails with {@link Unavailable}, one line that says what to do. */
    public static Future<Database> open(Vertx vertx, Settings settings) {
        return begin(settings).open(vertx).onSuccess(Database::started);
    }

    /** Starts the server, if it is ours to start, while the caller builds what comes before the database. */
    public static Beginning begin(Settings settings) {
        return new Beginning(settings);
    }

    /** A database whose server may still be starting. What it opens is patient until it is told that the gateway has started. */
    public static final class Beginning {

        private final Settings settings;
        private final CompletableFuture<@Nullable Embedded> server = new CompletableFuture<>();

        private Beginning(Settings settings) {
            this.settings = settings;
            if (settings.url() == null) {
                new Thread(this::startServer, "postgres-start").start();
            } else {
                server.complete(null);
            }
        }

        private void startServer() {
            try {
                server.complete(Embedded.start(settings.data()));
            } catch (RuntimeException e) {
                server.completeExceptionally(e);
            }
        }

        public Future<Database> open(Vertx vertx) {
            return Future.fromCompletionStage(server, vertx.getOrCreateContext())
                    .compose(embedded -> embedded == null
                            ? openGiven(vertx, settings, Objects.requireNonNull(settings.url()))
                            : openEmbedded(vertx, settings, embedded));
        }

        /** Stops the server of a gateway that ends before it has opened the database; else does nothing. */
        public Future<Void> abandon() {
            return Future.fromCompletionStage(server.handle((embedded, failure) -> {
                if (embedded != null) {
                    embedded.stop();
                }
                return null;
            }));
        }
    }

    private static Future<Database> openGiven(Vertx vertx, Settings settings, String url) {
        return Future.succeededFuture(url)
                .map(Target::of)
                .compose(target -> connect(vertx, settings, target, Future::succeededFuture, false)
                        .recover(e -> Future.failedFuture(target.explain(e))));
    }

    private static Future<Database> openEmbedded(Vertx vertx, Settings settings, Embedded server) {
        Supplier<Future<Void>> stop = () -> vertx.executeBlocking(
                () -> {
                    server.stop();
                    return null;
                },
                false);
        return connect(vertx, settings, server.target(), stop, true)
                .onSuccess(opened -> server.watch(vertx))
                .recover(e -> stop.get().transform(stopped -> Future.failedFuture(e)));
    }

    private static Future<Database> connect(
            Vertx vertx, Settings settings, Target target, Supplier<Future<Void>> server, boolean ours) {
        var leases = new Leases(vertx, target.pool(vertx, settings), settings);
        if (ours) {
            // it runs, so it will answer; whether a server that was named is there at all, somebody waits to hear
            leases.bePatient(START);
        }
        return firstAnswer(leases, target, FIRST_ATTEMPTS)
                .onSuccess(answered -> leases.bePatient(START))
                .map(checked -> new Database(
                        settings,
                        leases,
                        Doorbell.hung(vertx, target, leases, settings),
                        new Migrator(vertx, target, leases),
                        server))
                .recover(e -> leases.close().transform(closed -> Future.failedFuture(e)));
    }

    /** In a process that has just begun, on a machine that is busy, the first answer may take longer than any later. */
    private static Future<Void> firstAnswer(Leases leases, Target target, int attempts) {
        return leases.lend(target::checkVersion)
                .recover(e -> attempts > 1 && e.getCause() instanceof TimeoutException
                        ? firstAnswer(leases, target, attempts - 1)
                        : Future.failedFuture(e));
    }

    /** From now on whoever asks is answered within {@link Settings#queryTimeout()}. */
    public void started() {
        leases.bePrompt();
    }

    /** Brings every room's tables up to date, in the order given; two gateways at once take turns. */
    public Future<Void> migrate(List<Migrations> all) {
        return migrator.run(all);
    }

    /** For single statements; each is bounded in time and leaves no connection behind. */
    public Pool pool() {
        return pool;
    }

    /** Every row of a statement that only reads, as what the mapping makes of it. */
    public <T> Future<List<T>> read(String sql, Tuple values, Function<Row, T> mapping) {
        return pool.preparedQuery(sql).mapping(mapping).execute(values).map(rows -> {
            List<T> all = new ArrayList<>(rows.size());
            rows.forEach(all::add);
            return all;
        });
    }

    /** A statement that changes something, for many callers at once: those who come while it is under way go together next, in one transaction. */
    public Gathering gathering(String sql) {
        return leases.gathering(sql);
    }

    /** Each caller has an answer of its own, in the same time as from {@link #pool}; a statement that fails, fails alone. */
    public interface Gathering {
        Future<RowSet<Row>> execute(Tuple values);
    }

    /** Commits when the work succeeds; else rolls back and fails with the work's own error. */
    public <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
        return leases.transaction(work);
    }

    public Doorbell doorbell() {
        return doorbell;
    }

    /** Succeeds when the database answers. */
    public Future<Void> check() {
        return pool.query("SELECT 1").execute().mapEmpty();
    }

    /** Shows {@link #gauges} among these. */
    public void expose(CollectorRegistry registry) {
        registry.register(new Metrics(this::gauges));
    }

    public Gauges gauges() {
        return new Gauges(
                settings.poolSize(),
                leases.size(),
                leases.lent(),
                settings.waiting(),
                leases.waiting(),
                leases.refused(),
                leases.expired(),
                leases.gatherings(),
                leases.gathered(),
                leases.gatherWaiting(),
                doorbell.listening(),
                doorbell.reconnects(),
                doorbell.rings());
    }

    /** Within four seconds; an embedded server stops too, and leaves no process. */
    public Future<Void> close() {
        return Future.join(doorbell.close(), leases.close())
                .timeout(POOL_CLOSE_MILLIS, TimeUnit.MILLISECONDS)
                .transform(closed -> server.get());
    }

    /** Whether the database, and not the request, is at fault, so that trying again later makes sense. */
    public static boolean isUnavailable(Throwable failure) {
        return failure instanceof Unavailable;
    }

    /** Whether only the answer is known to be missing: the statement had been sent, and a server that stands still does it later. */
    public static boolean isInDoubt(Throwable failure) {
        return failure instanceof Unavailable unavailable && unavailable.inDoubt;
    }

    /** Whether the values or some constraint are at fault, so that trying again does not help. */
    public static boolean isRefused(Throwable failure) {
        return Failures.isRefused(failure);
    }

    /** Whether the statement broke this unique, exclusion or foreign key constraint. */
    public static boolean isConflict(Throwable failure, String constraint) {
        return Failures.isConflict(failure, constraint);
    }

    /**
     * @param data the data folder, held by a {@link DataFolder}
     * @param url of an existing database; null = embedded
     * @param poolSize connections at most
     * @param waiting callers at most that wait for a connection; the next is refused at once
     * @param queryTimeout how long a caller waits in all, connecting and queueing included
     */
    public record Settings(Path data, @Nullable String url, int poolSize, int waiting, Duration queryTimeout) {

        public static Settings of(Path data, @Nullable String url) {
            return new Settings(data, url, 10, 1000, Duration.ofMillis(1800));
        }

        /** Without the URL, which holds a password. */
        @Override
        public String toString() {
            return "Settings[data=%s, url=%s, poolSize=%d, waiting=%d, queryTimeout=%s]"
                    .formatted(data, url == null ? "embedded" : "given", poolSize, waiting, queryTimeout);
        }
    }

    /**
     * What the limits of this room are doing.
     *
     * @param poolSize connections at most
     * @param connections open or opening
     * @param lent of them in use
     * @param waitingLimit callers without a connection at most
     * @param waiting callers without a connection yet
     * @param refused callers turned away because too many waited already, ever
     * @param expired callers whose time ran out, ever
     * @param gatherings statements that were run for all who came at once, ever
     * @param gathered those who came, ever
     * @param gatherWaiting those who wait for one that is under way
     * @param listening whether the doorbell is connected
     * @param reconnects of the doorbell, ever
     * @param rings heard, ever
     */
    public record Gauges(
            int poolSize,
            int connections,
            int lent,
            int waitingLimit,
            int waiting,
            long refused,
            long expired,
            long gatherings,
            long gathered,
            int gatherWaiting,
            boolean listening,
            long reconnects,
            long rings) {}

    /** The gauges as numbers, read when somebody asks. */
    private static final class Metrics extends Collector {

        private final Supplier<Gauges> gauges;

        Metrics(Supplier<Gauges> gauges) {
            this.gauges = gauges;
        }

        @Override
        public List<MetricFamilySamples> collect() {
            var now = gauges.get();
            return List.of(
                    gauge("connections", "Connections open or opening", now.connections()),
                    gauge("connections_limit", "Connections at most", now.poolSize()),
                    gauge("connections_lent", "Connections in use", now.lent()),
                    gauge("waiting", "Callers without a connection yet", now.waiting()),
                    gauge(
                            "waiting_limit",
                            "Callers without a connection at most; the next is refused",
                            now.waitingLimit()),
                    counter("refused", "Callers turned away because too many waited", now.refused()),
                    counter("expired", "Callers whose time ran out", now.expired()),
                    counter("gatherings", "Statements run for all who came at once", now.gatherings()),
                    counter("gathered", "Callers of those statements", now.gathered()),
                    gauge("gather_waiting", "Callers that wait for such a statement under way", now.gatherWaiting()),
                    gauge(
                            "gather_waiting_limit",
                            "Such callers at most, for each statement; the next is refused",
                            now.waitingLimit()),
                    gauge("doorbell_listening", "1 while the doorbell is connected", now.listening() ? 1 : 0),
                    counter("doorbell_reconnects", "Times the doorbell lost its connection", now.reconnects()),
                    counter("doorbell_rings", "Rings heard", now.rings()));
        }

        private static MetricFamilySamples gauge(String name, String help, double value) {
            return new GaugeMetricFamily("sluice_database_" + name, help, value);
        }

        private static MetricFamilySamples counter(String name, String help, long value) {
            return new CounterMetricFamily("sluice_database_" + name, help, (double) value);
        }
    }

    /** The database can not be reached, does not answer in time, is too busy or will not serve; the message is one line. */
    public static final class Unavailable extends RuntimeException {

        /** Whether what was asked may have been done, or may still be. */
        private final boolean inDoubt;

        public Unavailable(String message, @Nullable Throwable cause) {
            this(message, cause, false);
        }

        Unavailable(String message, @Nullable Throwable cause, boolean inDoubt) {
            super(message, cause);
            this.inDoubt = inDoubt;
        }

        public Unavailable(String message) {
            this(message, null);
        }
    }
}
