package io.sluice.database;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.Set;

/** Tells the database's trouble from the caller's. */
final class Failures {

    /** SQL state classes: connection, transaction state left by an outage, resources, intervention, system error. */
    private static final Set<String> OUTAGE_CLASSES = Set.of("08", "53", "57", "58", "XX");

    private static final Set<String> OUTAGE_STATES = Set.of("25006", "25P02", "25P03", "25P04", "55P03");
    private static final Set<String> CONFLICTS = Set.of("23505", "23503", "23P01");

    private Failures() {}

    static Throwable translate(Throwable failure) {
        if (failure instanceof Database.Unavailable) {
            return failure;
        }
        if (failure instanceof PgException refusal) {
            return isOutage(refusal)
                    ? new Database.Unavailable("The database does not serve now: " + line(refusal), failure)
                    : failure;
        }
        if (failure instanceof ConnectionPoolTooBusyException) {
            return new Database.Unavailable("Too many requests wait for the database.", failure);
        }
        if (failure instanceof IOException || failure instanceof VertxException) {
            return new Database.Unavailable("The database can not be reached: " + line(failure), failure);
        }
        return failure;
    }

    static boolean isConflict(Throwable failure, String constraint) {
        return failure instanceof PgException refusal
                && CONFLICTS.contains(refusal.getSqlState())
                && constraint.equals(refusal.getConstraint());
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
