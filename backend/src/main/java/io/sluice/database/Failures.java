package io.sluice.database;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Tells the database's trouble from the caller's. */
final class Failures {

    /** SQL state classes: connection, rollback forced by others, resources, intervention, system, internal error. */
    private static final Set<String> OUTAGE_CLASSES = Set.of("08", "40", "53", "57", "58", "XX");

    /** Read-only after a failover, a transaction that was timed out, a lock that was not to be had. */
    private static final Set<String> OUTAGE_STATES = Set.of("25006", "25P03", "25P04", "55P03");

    /** The driver has one type for a lost connection and for a wrong argument, and tells them by words only. */
    private static final List<String> LOST =
            List.of("Connection is not active", "Pending requests failed", "Connection was closed");

    private static final Set<String> CONFLICTS = Set.of("23505", "23503", "23P01");

    private Failures() {}

    /** Of asking for a connection: whatever it is, it is not the caller's fault. */
    static Database.Unavailable ofConnecting(Throwable failure) {
        if (failure instanceof ConnectionPoolTooBusyException) {
            return new Database.Unavailable("Too many requests wait for the database.", failure);
        }
        return new Database.Unavailable("The database can not be reached: " + line(failure), failure);
    }

    /** Of working with a connection. */
    static Throwable ofWork(Throwable failure) {
        if (failure instanceof PgException refusal && isOutage(refusal)) {
            return new Database.Unavailable("The database does not serve now: " + line(refusal), failure);
        }
        return failure instanceof IOException || isLost(failure)
                ? new Database.Unavailable("The connection to the database was lost: " + line(failure), failure, true)
                : failure;
    }

    static boolean isLost(Throwable failure) {
        return failure instanceof ClosedConnectionException
                || (failure instanceof VertxException && LOST.stream().anyMatch(line(failure)::startsWith));
    }

    /** Of the database's trouble and not for good, and certainly without any effect. */
    static boolean isPassing(Throwable failure) {
        return failure instanceof Database.Unavailable && failure.getCause() != null && !Database.isInDoubt(failure);
    }

    static boolean isConflict(Throwable failure, String constraint) {
        return failure instanceof PgException refusal
                && CONFLICTS.contains(refusal.getSqlState())
                && constraint.equals(refusal.getConstraint());
    }

    /** Of what was to be written: it will never be taken as it is. Classes: data, integrity constraint. */
    static boolean isRefused(Throwable failure) {
        return failure instanceof PgException refusal
                && refusal.getSqlState() != null
                && (refusal.getSqlState().startsWith("22")
                        || refusal.getSqlState().startsWith("23"));
    }

    static String line(Throwable failure) {
        var text = failure instanceof PgException refusal ? refusal.getErrorMessage() : failure.getMessage();
        return text == null
                ? failure.getClass().getSimpleName()
                : text.lines().findFirst().orElse("");
    }

    private static boolean isOutage(PgException refusal) {
        var state = refusal.getSqlState();
        if (state == null || state.length() < 2) {
            return false;
        }
        return OUTAGE_STATES.contains(state) || OUTAGE_CLASSES.contains(state.substring(0, 2));
    }
}
