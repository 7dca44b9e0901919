package io.sluice.telemetry.notices;

/** Why something was not taken; the message is for whoever reads the job's history. */
final class Undelivered extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean forGood;

    /** @param forGood it would be refused again */
    Undelivered(String message, boolean forGood) {
        super(message, null, false, false);
        this.forGood = forGood;
    }

    boolean isForGood() {
        return forGood;
    }

    String said() {
        return String.valueOf(getMessage());
    }
}
