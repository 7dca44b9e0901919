package io.sluice.database;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.impl.SocketConnectionBase;
import io.vertx.sqlclient.internal.SqlConnectionBase;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One caller's turn with a connection. */
final class Lease {

    private final Vertx vertx;
    private @Nullable SqlConnection connection;
    private boolean over;

    Lease(Vertx vertx) {
        this.vertx = vertx;
    }

    <T> Future<T> use(SqlConnection granted, Function<SqlConnection, Future<T>> work) {
        if (!begin(granted)) {
            // the caller has been told that it failed: nothing may be done in its name any more
            return granted.close().transform(closed -> Future.failedFuture("too late"));
        }
        return work.apply(granted).eventually(() -> end(granted));
    }

    private synchronized boolean begin(SqlConnection granted) {
        if (!over) {
            connection = granted;
        }
        return !over;
    }

    private Future<Void> end(SqlConnection granted) {
        synchronized (this) {
            connection = null;
        }
        return granted.close();
    }

    /** Ends the turn; a connection that still owes an answer would make the next caller wait too, so it goes. */
    synchronized void cut() {
        over = true;
        if (connection != null) {
            sever(vertx, connection);
        }
    }

    /** {@link SqlConnection#close()} would only give it back to the pool, behind the answer that does not come. */
    static void sever(Vertx vertx, SqlConnection connection) {
        var socket = (SocketConnectionBase)
                ((SqlConnectionBase<?>) connection).unwrap().unwrap();
        vertx.runOnContext(now -> socket.socket().close());
    }
}
