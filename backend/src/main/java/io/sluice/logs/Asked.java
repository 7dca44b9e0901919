package io.sluice.logs;

import io.sluice.logs.follow.Pace;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.stream.Stream;

/** What the path and the query of a request for a log say. */
record Asked(Optional<Long> offset, Optional<Long> length, Optional<Long> tail, Optional<Instant> from) {
    private static final long LEAST_WINDOW = 64 << 10;
    private static final long LARGEST_WINDOW = 16 << 20;

    static Asked of(Call call) {
        var asked = new Asked(number(call, "offset"), number(call, "length"), number(call, "tail"), time(call, "from"));
        long places = Stream.of(asked.offset, asked.tail, asked.from)
                .filter(Optional::isPresent)
                .count();
        if (places > 1) {
            throw Problem.invalid("offset, tail and from each say where to begin. Give one of them.");
        }
        return asked;
    }

    /** Where to begin in a log of that size. */
    long begin(Log log, long size) throws IOException {
        if (tail.isPresent()) {
            return Math.max(0, size - tail.get());
        }
        return from.isPresent() ? Math.min(size, log.times().offsetAt(from.get().toEpochMilli())) : offset.orElse(0L);
    }

    static Pace pace(Call call) {
        long window = number(call, "window").orElse(0L);
        long jump = number(call, "jump").orElse(0L);
        if (window != 0 && (window < LEAST_WINDOW || window > LARGEST_WINDOW)) {
            throw Problem.invalid("window is a number of bytes from " + LEAST_WINDOW + " to " + LARGEST_WINDOW + ".");
        }
        if (jump != 0 && jump < LEAST_WINDOW) {
            throw Problem.invalid("jump is a number of bytes from " + LEAST_WINDOW + ".");
        }
        return new Pace(window, jump);
    }

    static Logs.Task task(Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found.");
        }
        return new Logs.Task(
                key.substring(0, tilde),
                key.substring(tilde + 1),
                count(call, "attempt"),
                call.path("role"),
                count(call, "index"),
                count(call, "taskAttempt"));
    }

    private static int count(Call call, String name) {
        String text = call.path(name);
        if (!text.matches("\\d{1,9}")) {
            throw Problem.invalid("The " + name + " in the path must be a number, not " + text + ".");
        }
        return Integer.parseInt(text);
    }

    static Optional<Long> number(Call call, String name) {
        return call.query(name).map(text -> {
            if (!text.matches("\\d{1,18}")) {
                throw Problem.invalid(name + " is a number from 0 to 999999999999999999, not " + shown(text) + ".");
            }
            return Long.valueOf(text);
        });
    }

    static boolean flag(Call call, String name, boolean byDefault) {
        return call.query(name)
                .map(text -> switch (text) {
                    case "1", "true", "" -> true;
                    case "0", "false" -> false;
                    default -> throw Problem.invalid(name + " is 1 or 0, not " + shown(text) + ".");
                })
                .orElse(byDefault);
    }

    static Optional<Instant> time(Call call, String name) {
        return call.query(name).map(text -> {
            try {
                return text.matches("\\d{1,15}")
                        ? Instant.ofEpochMilli(Long.parseLong(text))
                        : OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
            } catch (DateTimeException e) {
                throw Problem.invalid(name + " is a time like 2026-11-18T13:05:00Z or milliseconds since 1970, not "
                        + shown(text) + ".");
            }
        });
    }

    private static String shown(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }
}
