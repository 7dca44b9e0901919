package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.internal.ContextInternal;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionBase;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lends connections for a bounded time: queueing, connecting and working together. */
final class Leases {

    private static final Logger log = System.getLogger(Leases.class.getName());

    /** Of one lease while the gateway starts, and between two of them. */
    private static final long PATIENT_MILLIS = 15_000;

    private static final long PAUSE_MILLIS = 100;

    private final Vertx vertx;
    private final Pool pool;
    private final long millis;
    private final int mostWaiting;
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong expired = new AtomicLong();
    private final AtomicInteger gatherWaiting = new AtomicInteger();
    private final AtomicLong gatherings = new AtomicLong();
    private final AtomicLong gathered = new AtomicLong();
    private volatile long patientUntil = System.nanoTime();

    Leases(Vertx vertx, Pool pool, Database.Settings settings) {
        this.vertx = vertx;
        this.pool = pool;
        this.millis = settings.queryTimeout().toMillis();
        this.mostWaiting = settings.waiting();
    }

    /**
     * Until the time is over or {@link #bePrompt}: a lease may take long, and one that was not given or whose work was certainly not done is
     * tried again. A gateway that starts on a machine with much else to do would else give up where waiting is enough.
     */
    void bePatient(Duration time) {
        patientUntil = System.nanoTime() + time.toNanos();
    }

    void bePrompt() {
        patientUntil = System.nanoTime();
    }

    <T> Future<T> lend(Function<SqlConnection, Future<T>> work) {
        return isPatient()
                ? lend(work, PATIENT_MILLIS)
                        .recover(failure -> isPatient() && Failures.isPassing(failure)
                                ? pause().compose(over -> lend(work))
                                : Future.failedFuture(failure))
                : lend(work, millis);
    }

    private boolean isPatient() {
        return patientUntil - System.nanoTime() > 0;
    }

    private Future<Void> pause() {
        return Future.future(over -> vertx.setTimer(PAUSE_MILLIS, timer -> over.complete()));
    }

    private <T> Future<T> lend(Function<SqlConnection, Future<T>> work, long millis) {
        var lease = new Lease();
        waiting.incrementAndGet();
        return pool.getConnection()
                .onComplete(answered -> waiting.decrementAndGet())
                .recover(failure -> Future.failedFuture(notGiven(failure)))
                .compose(connection -> lease.use(connection, counted(work)))
                .timeout(millis, TimeUnit.MILLISECONDS)
                .recover(failure -> Future.failedFuture(explain(lease, failure, millis)));
    }

    Gathering gathering(String sql) {
        return new Gathering(sql);
    }

    <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
        return lend(connection -> connection
                .begin()
                .compose(begun -> attempt(connection, work)
                        .compose(
                                value -> begun.commit().map(value),
                                first -> begun.rollback().transform(rolledBack -> Future.failedFuture(first)))));
    }

    int size() {
        return pool.size();
    }

    int lent() {
        return lent.get();
    }

    int waiting() {
        return waiting.get();
    }

    long refused() {
        return refused.get();
    }

    long expired() {
        return expired.get();
    }

    /** Callers whose statement waits for the one under way. */
    int gatherWaiting() {
        return gatherWaiting.get();
    }

    /** Statements run for one or more callers. */
    long gatherings() {
        return gatherings.get();
    }

    /** Their callers. */
    long gathered() {
        return gathered.get();
    }

    Future<Void> close() {
        return pool.close();
    }

    private <T> Function<SqlConnection, Future<T>> counted(Function<SqlConnection, Future<T>> work) {
        return connection -> {
            lent.incrementAndGet();
            return attempt(connection, work).onComplete(done -> lent.decrementAndGet());
        };
    }

    private static <T> Future<T> attempt(SqlConnection connection, Function<SqlConnection, Future<T>> work) {
        return Future.succeededFuture(connection).compose(work);
    }

    private Throwable notGiven(Throwable failure) {
        if (failure instanceof ConnectionPoolTooBusyException) {
            refused.incrementAndGet();
        }
        return Failures.ofConnecting(failure);
    }

    private Throwable explain(Lease lease, Throwable failure, long millis) {
        if (failure instanceof TimeoutException) {
            expired.incrementAndGet();
            boolean inDoubt = lease.cut();
            return new Database.Unavailable(
                    "The database did not answer within %d ms.".formatted(millis), failure, inDoubt);
        }
        return Failures.ofWork(failure);
    }

    /**
     * Closes the socket itself. {@link SqlConnection#close()} gives the connection back to the pool, and a close of the
     * socket lets the driver say goodbye and wait for the server to hang up, which one that stands still never does.
     */
    static void sever(SqlConnection connection) {
        var raw = (SocketConnectionBase)
                ((SqlConnectionBase<?>) connection).unwrap().unwrap();
        var nearestToTheNetwork =
                raw.socket().channelHandlerContext().pipeline().firstContext();
        if (nearestToTheNetwork != null) {
            var unused = nearestToTheNetwork.close();
        }
    }

    /**
     * One statement of many callers. While it is under way others wait, and go together next: one transaction, one wait for the disk. Who
     * comes alone does not wait. If they fail together each is tried alone, so that only the one fails whose fault it is.
     */
    final class Gathering implements Database.Gathering {

        private static final int TOGETHER = 64;
        private static final long LEAST_MILLIS = 100;

        private final String sql;
        private final Deque<Guest> waiting = new ArrayDeque<>();
        private boolean underWay;

        private record Guest(Tuple values, Promise<RowSet<Row>> answer, long since) {}

        private Gathering(String sql) {
            this.sql = sql;
        }

        @Override
        public Future<RowSet<Row>> execute(Tuple values) {
            // each goes on where it came from
            Promise<RowSet<Row>> answer =
                    Vertx.currentContext() instanceof ContextInternal context ? context.promise() : Promise.promise();
            var guest = new Guest(values, answer, System.nanoTime());
            synchronized (this) {
                if (underWay && waiting.size() >= mostWaiting) {
                    refused.incrementAndGet();
                    return Future.failedFuture(new Database.Unavailable("Too many requests wait for the database."));
                }
                if (underWay) {
                    waiting.add(guest);
                    gatherWaiting.incrementAndGet();
                    return answer.future();
                }
                underWay = true;
            }
            send(List.of(guest));
            return answer.future();
        }

        private void send(List<Guest> guests) {
            gatherings.incrementAndGet();
            gathered.addAndGet(guests.size());
            var values = guests.stream().map(Guest::values).toList();
            lend(connection -> connection.preparedQuery(sql).executeBatch(values), left(guests.getFirst()))
                    .onSuccess(rows -> {
                        var next = rows;
                        for (var guest : guests) {
                            guest.answer.complete(next);
                            next = next.next();
                        }
                    })
                    .recover(failure -> apart(guests, failure))
                    .onComplete(done -> next());
        }

        /** What the database refused of many it is asked for one by one; what it did not answer is nobody's fault. */
        private Future<RowSet<Row>> apart(List<Guest> guests, Throwable failure) {
            if (guests.size() == 1 || failure instanceof Database.Unavailable) {
                guests.forEach(guest -> guest.answer.fail(failure));
                if (failure instanceof Database.Unavailable) {
                    // of those who wait nothing was sent, and what they would wait for again is their time
                    taken(Integer.MAX_VALUE)
                            .forEach(guest -> guest.answer.fail(
                                    new Database.Unavailable("The database did not answer those before.", failure)));
                }
                return Future.failedFuture(failure);
            }
            return Future.join(guests.stream()
                            .map(guest -> lend(
                                            connection -> connection
                                                    .preparedQuery(sql)
                                                    .execute(guest.values),
                                            left(guest))
                                    .onComplete(guest.answer::handle))
                            .toList())
                    .mapEmpty();
        }

        private void next() {
            List<Guest> guests;
            synchronized (this) {
                guests = taken(TOGETHER);
                underWay = !guests.isEmpty();
            }
            if (!guests.isEmpty()) {
                send(guests);
            }
        }

        private synchronized List<Guest> taken(int most) {
            var taken = new ArrayList<Guest>();
            while (taken.size() < most && !waiting.isEmpty()) {
                taken.add(waiting.remove());
            }
            gatherWaiting.addAndGet(-taken.size());
            return taken;
        }

        /** Of the time that a caller has in all. */
        private long left(Guest guest) {
            return Math.max(LEAST_MILLIS, millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - guest.since));
        }
    }

    /** One caller's turn with a connection. */
    private static final class Lease {

        private @Nullable SqlConnection connection;
        private boolean over;

        <T> Future<T> use(SqlConnection granted, Function<SqlConnection, Future<T>> work) {
            if (!begin(granted)) {
                // the caller has been told that it failed: nothing may be done in its name any more
                return granted.close().transform(closed -> Future.failedFuture("too late"));
            }
            // the driver prints a stack trace where nobody listens; whoever waits for an answer hears of it anyway
            granted.exceptionHandler(e -> log.log(Level.WARNING, "database=error cause=\"{0}\"", Failures.line(e)));
            return work.apply(granted)
                    .transform((value, failure) -> end(granted, failure)
                            .transform((ended, ignored) ->
                                    failure == null ? Future.succeededFuture(value) : Future.failedFuture(failure)));
        }

        private synchronized boolean begin(SqlConnection granted) {
            if (!over) {
                connection = granted;
            }
            return !over;
        }

        private Future<Void> end(SqlConnection granted, @Nullable Throwable failure) {
            synchronized (this) {
                connection = null;
                if (over || (failure != null && Failures.isLost(failure))) {
                    // back in the pool it would be lent again before the pool hears that it is closed
                    sever(granted);
                    return Future.succeededFuture();
                }
            }
            return granted.close();
        }

        /**
         * Ends the turn; a connection that still owes an answer would make the next caller wait too, so it goes.
         *
         * @return whether there was one
         */
        synchronized boolean cut() {
            over = true;
            if (connection != null) {
                sever(connection);
            }
            return connection != null;
        }
    }
}
