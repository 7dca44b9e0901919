package io.sluice.files.stores;

import java.io.IOException;

/** A store does not do what it was asked for. Its message is for whoever has asked. */
public final class StoreFault extends IOException {
    private static final long serialVersionUID = 1;

    /** Why. */
    public enum Why {
        /** The key is not known, or its secret is another. */
        CREDENTIALS,
        /** The key may not do that. */
        FORBIDDEN,
        NO_BUCKET,
        NO_OBJECT,
        /** What was begun in parts is finished or was thrown away. */
        NO_UPLOAD,
        /** It is another one than was listed. */
        CHANGED,
        /** What came or went was cut off or altered on its way. */
        BROKEN,
        /** No answer, or one that says to try again. */
        AWAY,
        REFUSED
    }

    private final Why why;

    public StoreFault(Why why, String message, Throwable cause) {
        super(message, cause);
        this.why = why;
    }

    public StoreFault(Why why, String message) {
        super(message);
        this.why = why;
    }

    public Why why() {
        return why;
    }

    /** Whether the same may do at another time. */
    public boolean isPassing() {
        return why == Why.AWAY || why == Why.BROKEN;
    }
}
