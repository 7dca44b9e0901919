package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionBase;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Lends connections for a bounded time: queueing, connecting and working together. */
final class Leases {

    private static final Logger log = System.getLogger(Leases.class.getName());

    private final Pool pool;
    private final long millis;
    private final AtomicInteger lent = new AtomicInteger();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong expired = new AtomicLong();

    Leases(Pool pool, Database.Settings settings) {
        this.pool = pool;
        this.millis = settings.queryTimeout().toMillis();
    }

    <T> Future<T> lend(Function<SqlConnection, Future<T>> work) {
        var lease = new Lease();
        waiting.incrementAndGet();
        return pool.getConnection()
                .onComplete(answered -> waiting.decrementAndGet())
                .recover(failure -> Future.failedFuture(notGiven(failure)))
                .compose(connection -> lease.use(connection, counted(work)))
                .timeout(millis, TimeUnit.MILLISECONDS)
                .recover(failure -> Future.failedFuture(explain(lease, failure)));
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

    private Throwable explain(Lease lease, Throwable failure) {
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
