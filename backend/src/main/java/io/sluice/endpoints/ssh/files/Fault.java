package io.sluice.endpoints.ssh.files;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What could not be done, as the protocol tells it. */
final class Fault extends Exception {
    static final int NO_SUCH_FILE = 2;
    static final int PERMISSION_DENIED = 3;
    static final int FAILURE = 4;
    static final int BAD_MESSAGE = 5;
    static final int UNSUPPORTED = 8;
    private static final long serialVersionUID = 1;
    private static final int LONGEST = 300;

    private final int status;

    Fault(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }

    /** The programs of all images say the same, in the language C. */
    static Fault of(byte[] said) {
        String text = new String(said, StandardCharsets.UTF_8).strip();
        String last = text.substring(text.lastIndexOf('\n') + 1);
        String words = last.toLowerCase(Locale.ROOT);
        int status = words.contains("no such file") || words.contains("nonexistent")
                ? NO_SUCH_FILE
                : words.contains("ermission denied") || words.contains("not permitted") || words.contains("read-only")
                        ? PERMISSION_DENIED
                        : FAILURE;
        String message = last.isEmpty() ? "It could not be done." : last;
        return new Fault(status, message.substring(0, Math.min(message.length(), LONGEST)));
    }
}
