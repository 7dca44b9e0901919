package io.sluice.endpoints.ssh;

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

    String task() {
        return role + "/" + index;
    }
}
