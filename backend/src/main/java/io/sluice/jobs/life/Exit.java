package io.sluice.jobs.life;

import org.jspecify.annotations.Nullable;

/**
 * How a job, an attempt or a task ended.
 *
 * @param code of OpenPAI's catalogue, or the program's own
 * @param original what the program itself ended with, where the code says more
 * @param message what is known of it, in one line for the user
 * @param rule that recognised it, null: the code says all there is
 * @param line of the output that told the cause, and where in the output it begins; without a place: what the engine said
 * @param role that brought the end, with {@code index} of the task; null where nobody in particular did
 * @param trigger the rule that brought it
 */
public record Exit(
        int code,
        @Nullable Integer original,
        @Nullable String message,
        @Nullable String rule,
        @Nullable String line,
        @Nullable Long offset,
        @Nullable String role,
        @Nullable Integer index,
        @Nullable String trigger) {
    public static final int STOPPED = -210;
    public static final int ATTEMPT_OVER = -220;
    public static final int CREATION_FAILED = -1201;
    public static final int CREATION_REFUSED = -200;
    /** Nobody but administrators may run processes here: the gateway is set up so. */
    public static final int NOT_SHARED = -250;

    /** Its devices did nothing, and its virtual cluster wants them back. */
    public static final int IDLE = -251;
    /** The same, where it is stopped for good. */
    public static final int IDLE_STOPPED = -253;
    /** Of tasks that begin together, some did not. */
    public static final int NOT_TOGETHER = -252;

    /** It failed for a reason that the code does not tell, and one of its devices was at fault. */
    public static final int DEVICE_FAULT = -254;

    /** What it was to be brought did not come. */
    public static final int NOT_FETCHED = -255;
    /** The same, where it may come at another time. */
    public static final int NOT_FETCHED_YET = -256;

    public static final int CREATION_AGAIN = -120;
    public static final int NO_IMAGE = 254;
    public static final int NO_SHELL = -1203;
    public static final int NODE_LOST = -1001;
    public static final int PREEMPTED = -1003;
    public static final int OUT_OF_TIME = -1004;
    public static final int OUT_OF_MEMORY = -1200;
    public static final int PORT_TAKEN = 253;

    public static Exit of(int code, @Nullable String message) {
        return new Exit(code, null, message, null, null, null, null, null, null);
    }

    Exit broughtBy(@Nullable String role, @Nullable Integer index, String trigger) {
        return new Exit(code, original, message, rule, line, offset, role, index, trigger);
    }

    /** The same, of which more is known. */
    Exit because(int other, String why) {
        return new Exit(other, original == null ? code : original, why, null, line, offset, role, index, trigger);
    }

    public static boolean isStop(int code) {
        return code == STOPPED || code == ATTEMPT_OVER || code == IDLE_STOPPED;
    }
}
