package io.sluice.endpoints.ssh;

import io.sluice.database.Database;
import io.sluice.engines.Engine;

/**
 * A task that runs.
 *
 * @param run what the engine calls it
 */
record Place(long job, String key, String role, int index, String run) {

    /** There is none for this guest; the message is for them, and the same whether there is another's or nothing. */
    static final class Nowhere extends RuntimeException {
        private static final long serialVersionUID = 1;

        Nowhere(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * What a guest is told who could not get there.
     *
     * @param otherwise of what tells nothing itself
     */
    static String why(Throwable failure, String otherwise) {
        return switch (failure) {
            case Nowhere none -> String.valueOf(none.getMessage());
            case Engine.Unavailable away -> String.valueOf(away.getMessage());
            case Database.Unavailable away ->
                "The gateway can not look the task up at the moment, since its database does not answer. Try again in a few seconds.";
            default -> otherwise;
        };
    }

    String task() {
        return role + "/" + index;
    }
}
