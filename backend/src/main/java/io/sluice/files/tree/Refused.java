package io.sluice.files.tree;

import java.io.IOException;

/** A file or folder can not be had as it was asked for, and why. */
public final class Refused extends IOException {
    private static final long serialVersionUID = 1;

    /** Why. */
    public enum Why {
        MISSING,
        EXISTS,
        NOT_A_FOLDER,
        NOT_A_FILE,
        LINK,
        NOT_EMPTY,
        NOT_ALLOWED,
        FULL,
        TOO_MANY,
        /** Somebody else is at it at this moment. */
        TAKEN
    }

    private final Why why;
    private final String name;

    public Refused(Why why, String name) {
        super(why + " " + Place.encoded(name));
        this.why = why;
        this.name = name;
    }

    /** Whether a disk, or somebody's share of it, takes no more. */
    public static boolean isFull(IOException e) {
        return e instanceof Refused refused
                ? refused.why() == Why.FULL
                : Reasons.of(String.valueOf(e.getMessage())) == Why.FULL;
    }

    public Why why() {
        return why;
    }

    public String name() {
        return name;
    }
}
