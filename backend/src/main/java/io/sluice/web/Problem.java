package io.sluice.web;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request that can not be granted, with what its sender can do about it. Turned into status, JSON or page by the edge alone.
 */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The status that stands for each kind of trouble. */
    public enum Kind {
        INVALID(400, "InvalidParametersError"),
        UNAUTHENTICATED(401, "UnauthorizedUserError"),
        FORBIDDEN(403, "ForbiddenUserError"),
        NOT_FOUND(404, "NoApiError"),
        NOT_ALLOWED(405, "NoApiError"),
        CONFLICT(409, "ConflictError"),
        GONE(410, "GoneError"),
        CHANGED(412, "ConflictError"),
        TOO_LARGE(413, "InvalidParametersError"),
        UNPROCESSABLE(422, "InvalidParametersError"),
        LOCKED(423, "ConflictError"),
        TOO_MANY(429, "TooManyRequestsError"),
        BROKEN(500, "UnknownError"),
        UNAVAILABLE(503, "UnavailableError"),
        TOO_SLOW(504, "TimeoutError"),
        FULL(507, "NoSpaceError");

        final int status;
        final String code;

        Kind(int status, String code) {
            this.status = status;
            this.code = code;
        }
    }

    private final Kind kind;
    private final String code;
    private final @Nullable Duration retryAfter;

    private Problem(Kind kind, String code, String message, @Nullable Throwable cause, @Nullable Duration retryAfter) {
        super(message, cause, false, false);
        this.kind = kind;
        this.code = code;
        this.retryAfter = retryAfter;
    }

    public static Problem of(Kind kind, String message) {
        return new Problem(kind, kind.code, message, null, null);
    }

    /** With an error code of OpenPAI's, which its clients switch on. */
    public static Problem of(Kind kind, String code, String message) {
        return new Problem(kind, code, message, null, null);
    }

    public static Problem invalid(String message) {
        return of(Kind.INVALID, message);
    }

    public static Problem notFound(String message) {
        return of(Kind.NOT_FOUND, message);
    }

    public static Problem tooMany(String message, Duration retryAfter) {
        return new Problem(Kind.TOO_MANY, Kind.TOO_MANY.code, message, null, retryAfter);
    }

    public static Problem unavailable(String message, Throwable cause, Duration retryAfter) {
        return new Problem(Kind.UNAVAILABLE, Kind.UNAVAILABLE.code, message, cause, retryAfter);
    }

    public Kind kind() {
        return kind;
    }

    public int status() {
        return kind.status;
    }

    public String code() {
        return code;
    }

    public String message() {
        String message = getMessage();
        return message == null ? kind.name() : message;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
