package io.sluice.database;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells every gateway on this database that something changed, so that it looks. A ring carries a topic and nothing
 * else, and may be lost or come too often: whoever listens reads the tables. Everyone is rung after each (re)connect and
 * now and then without any reason.
 */
public final class Doorbell {

    private static final Logger log = System.getLogger(Doorbell.class.getName());
    private static final String CHANNEL = "sluice";
    private static final Pattern TOPIC = Pattern.compile("[a-z][a-z0-9.-]{0,62}");
    private static final int BEAT_SECONDS = 5;
    private static final int BEATS_PER_ROUND = 6;
    private static final long SHORTEST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;
    private static final long LAST_HANDSHAKE_MILLIS = 400;

    private final Vertx vertx;
    private final Pool line;
    private final Leases leases;
    private final long answerMillis;
    private final long timer;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong reconnects = new AtomicLong();
    private final AtomicLong rings = new AtomicLong();
    private final AtomicReference<@Nullable PgConnection> connection = new AtomicReference<>();
    private volatile boolean closed;
    private volatile Future<PgConnection> connecting = Future.failedFuture("not yet");
    private final AtomicInteger failures = new AtomicInteger();
    private int beats;

    private Doorbell(Vertx vertx, Pool line, Leases leases, long answerMillis) {
        this.vertx = vertx;
        this.line = line;
        this.leases = leases;
        this.answerMillis = answerMillis;
        this.timer = vertx.setPeriodic(TimeUnit.SECONDS.toMillis(BEAT_SECONDS), beat -> beat());
    }

    static Doorbell hung(Vertx vertx, Target target, Leases leases, Database.Settings settings) {
        var line = target.pool(vertx, settings, 1, 3 * BEAT_SECONDS, "sluice doorbell");
        var doorbell = new Doorbell(vertx, line, leases, settings.queryTimeout().toMillis());
        doorbell.connect();
        return doorbell;
    }

    /** Ends what {@link #listen} began. */
    @FunctionalInterface
    public interface Subscription {
        void cancel();
    }

    /** Runs {@code ring} on the caller's context; rings that come together are one. */
    public Subscription listen(String topic, Runnable ring) {
        var listener = new Listener(checked(topic), ring, vertx.getOrCreateContext());
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Rings on its own; a store that changes a table rather puts {@link #ringing} into its statement. */
    public Future<Void> ring(String topic) {
        var sql = "SELECT " + ringing(topic);
        return leases.lend(connection -> connection.query(sql).execute().mapEmpty());
    }

    /** The SQL expression that rings when the statement's transaction commits, as in {@code SELECT pg_notify(…)}. */
    public static String ringing(String topic) {
        return "pg_notify('" + CHANNEL + "', '" + checked(topic) + "')";
    }

    boolean listening() {
        return connection.get() != null;
    }

    long reconnects() {
        return reconnects.get();
    }

    long rings() {
        return rings.get();
    }

    /** The driver that closes a connection in its handshake says goodbye in the middle of it, and then never ends. */
    Future<Void> close() {
        closed = true;
        vertx.cancelTimer(timer);
        return connecting.timeout(LAST_HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS).transform(made -> line.close());
    }

    private void connect() {
        if (closed) {
            return;
        }
        connecting = line.getConnection().compose(this::listenOn);
        connecting.onSuccess(this::connected).onFailure(this::retry);
    }

    private Future<PgConnection> listenOn(SqlConnection fresh) {
        var candidate = PgConnection.cast(fresh);
        candidate.notificationHandler(ring -> heard(ring.getPayload()));
        candidate.exceptionHandler(e -> log.log(Level.DEBUG, "doorbell=error cause=\"{0}\"", Failures.line(e)));
        candidate.closeHandler(gone -> lost(candidate));
        return candidate
                .query("LISTEN " + CHANNEL)
                .execute()
                .timeout(answerMillis, TimeUnit.MILLISECONDS)
                .map(candidate)
                .onFailure(e -> Leases.sever(candidate));
    }

    private void connected(PgConnection fresh) {
        ringAll();
        connection.set(fresh);
        if (failures.getAndSet(0) > 0) {
            log.log(Level.INFO, "doorbell=connected");
        }
    }

    private void lost(PgConnection gone) {
        if (connection.compareAndSet(gone, null) && !closed) {
            log.log(Level.WARNING, "doorbell=lost");
            reconnects.incrementAndGet();
            connect();
        }
    }

    private void retry(Throwable failure) {
        if (closed) {
            return;
        }
        var before = failures.getAndIncrement();
        var pause = Math.min(LONGEST_PAUSE_MILLIS, SHORTEST_PAUSE_MILLIS << Math.min(before, 10));
        log.log(
                before == 0 ? Level.WARNING : Level.DEBUG,
                "doorbell=unreachable cause=\"{0}\"",
                Failures.line(failure));
        vertx.setTimer(pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2), again -> connect());
    }

    /** A connection can be dead without anyone saying so; asking finds out. */
    private void beat() {
        var asked = connection.get();
        if (asked != null) {
            asked.query("SELECT 1")
                    .execute()
                    .timeout(answerMillis, TimeUnit.MILLISECONDS)
                    .onFailure(e -> {
                        Leases.sever(asked);
                        lost(asked);
                    });
        }
        beats++;
        if (beats % BEATS_PER_ROUND == 0) {
            ringAll();
        }
    }

    private void heard(String topic) {
        rings.incrementAndGet();
        listeners.stream().filter(listener -> listener.topic.equals(topic)).forEach(Listener::ring);
    }

    private void ringAll() {
        listeners.forEach(Listener::ring);
    }

    private record Listener(String topic, Runnable look, Context context, AtomicBoolean rung) {

        Listener(String topic, Runnable look, Context context) {
            this(topic, look, context, new AtomicBoolean());
        }

        void ring() {
            if (rung.compareAndSet(false, true)) {
                context.runOnContext(now -> answer());
            }
        }

        private void answer() {
            rung.set(false);
            try {
                look.run();
            } catch (RuntimeException e) {
                log.log(Level.ERROR, "doorbell=listener_failed topic=" + topic, e);
            }
        }
    }

    private static String checked(String topic) {
        if (!TOPIC.matcher(topic).matches()) {
            throw new IllegalArgumentException("not a topic: " + topic);
        }
        return topic;
    }
}
