package io.sluice.endpoints.road;

import io.sluice.endpoints.road.lines.Lines;
import java.net.ConnectException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why there is no app to see, as the page in its place tells it.
 *
 * @param kind its words stand in the texts under {@code door.<kind>.title} and {@code .help}
 * @param portal where the endpoint can be opened, and its job be seen; null: it is not known
 * @param lines the last that the app printed
 * @param again whether the page looks again by itself
 */
public record Excuse(Kind kind, @Nullable String portal, String lines, boolean again) {
    /** With the status of the answer, and the sentence for programs. */
    public enum Kind {
        UNKNOWN(404, "There is no such endpoint."),
        SIGNED_OUT(401, "Open this endpoint from the page of its job."),
        FOREIGN(403, "This was not asked for by a page of this endpoint."),
        MALFORMED(400, "This is not a request that can be read in one way only."),
        STARTING(503, "The app is being started. Try again in a moment."),
        OFF(503, "This endpoint is switched off. Switch it on on the page of its job."),
        FAILED(502, "The app could not be started. The page of its job says why."),
        ENDING(410, "The job of this endpoint is being stopped."),
        ENDED(410, "The job of this endpoint has ended."),
        REFUSED(502, "The app does not answer at its port."),
        BROKEN(502, "The app broke off, or what it answered is not HTTP."),
        SLOW(504, "The app did not answer in time."),
        FULL(503, "Too much is going on with this app at the moment. Try again in a moment.");

        final int status;
        final String sentence;

        Kind(int status, String sentence) {
            this.status = status;
            this.sentence = sentence;
        }

        public int status() {
            return status;
        }

        /** What kept a question from being answered. */
        static Kind of(Throwable cause) {
            return switch (cause) {
                case ConnectException refused -> REFUSED;
                case TimeoutException late -> SLOW;
                case Lines.Full full -> FULL;
                default -> BROKEN;
            };
        }

        /** In the texts. */
        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public static Excuse of(Kind kind) {
        return new Excuse(kind, null, "", kind == Kind.STARTING);
    }

    Excuse at(@Nullable String link) {
        return new Excuse(kind, link, lines, again);
    }
}
