package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.tree.Place;
import io.sluice.jobs.data.care.Care;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One file of the web. */
public final class WebFile implements Source {
    private static final int LONGEST_NAME = 60;
    private static final String UNNAMED = "data";
    /** So often what can not be gone on with begins anew. */
    private static final int ANEW = 3;

    private final WebLine line;
    private final URI address;
    private final Care care;
    private final Limits.Span span;
    private @Nullable Head head;

    /** @param version that two heads have in common when they are of the same; null: the server tells none */
    private record Head(
            long size, @Nullable String version, @Nullable Instant changed) {}

    public WebFile(WebLine line, String address, Care care) throws StoreFault {
        this.line = line;
        this.care = care;
        this.span = line.limits().begin();
        this.address = Hosts.address(address);
    }

    @Override
    public Amount count() throws IOException {
        Head now = care.of(() -> {
            try (var answer = line.get(address, 0, null, span)) {
                return head(answer);
            }
        });
        line.limits().check(Hosts.shown(address), now.size());
        head = now;
        return new Amount(1, now.size());
    }

    private Head head(WebLine.Answer answer) throws StoreFault {
        String length = answer.header("Content-Length");
        if (length == null || !length.matches("[0-9]{1,18}")) {
            throw new StoreFault(
                    Why.REFUSED,
                    "The server of " + Hosts.shown(address)
                            + " does not tell how long that is. Name a file whose length is told, or fetch it in the commands.");
        }
        String etag = answer.header("ETag");
        String changed = answer.header("Last-Modified");
        return new Head(
                Long.parseLong(length), etag != null && !etag.startsWith("W/") ? etag : changed, instant(changed));
    }

    private static @Nullable Instant instant(@Nullable String changed) {
        try {
            return changed == null ? null : Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(changed));
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    @Override
    public void each(Taker taker) throws IOException {
        Head known = Objects.requireNonNull(head, "counted before it is fetched");
        Instant changed = known.changed() == null ? Instant.now() : known.changed();
        for (int left = ANEW; ; left--) {
            String version = known.version() == null ? UUID.randomUUID().toString() : known.version();
            try {
                taker.file(
                        Place.ROOT.with(Place.raw(name(address))),
                        address + " " + version,
                        known.size(),
                        changed,
                        at -> from(known, at));
                return;
            } catch (StoreFault cut) {
                if (cut.why() != Why.CHANGED || known.version() != null || left == 0) {
                    throw cut;
                }
            }
        }
    }

    private InputStream from(Head known, long at) throws IOException {
        if (at > 0 && known.version() == null) {
            // its beginning may be of another version than what came now
            throw new StoreFault(
                    Why.CHANGED,
                    "The line broke more than " + ANEW + " times, and the server of " + Hosts.shown(address)
                            + " has neither ETag nor time by which a part of it could be gone on with.");
        }
        var answer = line.get(address, at, at > 0 ? known.version() : null, span);
        try {
            if (answer.isPart() ? !isRest(answer, known, at) : !head(answer).equals(known)) {
                throw new StoreFault(
                        Why.CHANGED, Hosts.shown(address) + " has changed while it was fetched. Submit the job again.");
            }
            if (!answer.isPart()) {
                answer.body().skipNBytes(at);
            }
            return answer.body();
        } catch (StoreFault e) {
            answer.close();
            throw e;
        } catch (IOException e) {
            answer.close();
            throw new StoreFault(Why.BROKEN, "The line broke: " + e.getMessage(), e);
        }
    }

    private static boolean isRest(WebLine.Answer answer, Head known, long at) {
        return ("bytes " + at + "-" + (known.size() - 1) + "/" + known.size()).equals(answer.header("Content-Range"));
    }

    /** The last part of its path, as a file can be called. */
    static String name(URI address) {
        String path = Objects.requireNonNullElse(address.getRawPath(), "");
        String last = path.substring(path.lastIndexOf('/') + 1);
        String end = last(decoded(last), LONGEST_NAME);
        String name = end.replaceAll("(?U)[\\p{Cntrl}/\\\\\\p{Cf}\\p{Cs}]", "_").strip();
        return name.isEmpty() || name.equals(".") || name.equals("..") ? UNNAMED : name;
    }

    private static String last(String text, int most) {
        int count = text.codePointCount(0, text.length());
        return count <= most ? text : text.substring(text.offsetByCodePoints(0, count - most));
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    @Override
    public void close() {
        // each answer was closed where it was asked for
    }
}
