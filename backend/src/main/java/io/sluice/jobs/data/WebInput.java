package io.sluice.jobs.data;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.files.tree.Place;
import io.sluice.jobs.data.Landing.Announced;
import io.sluice.jobs.data.Landing.Coming;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Crew;
import io.sluice.jobs.data.web.WebLine;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An input out of the web: one file. */
final class WebInput implements Input {
    private static final int LONGEST_NAME = 80;
    private static final String UNNAMED = "data";

    private final WebLine line;
    private final URI address;
    private final Care care;
    private @Nullable Head head;

    /** @param version that two heads have in common when they are of the same; null: the server tells none */
    private record Head(
            long size, @Nullable String version, @Nullable Instant changed) {}

    WebInput(WebLine line, String address, Care care) throws StoreFault {
        this.line = line;
        this.care = care;
        try {
            this.address = new URI(address);
        } catch (URISyntaxException e) {
            throw new StoreFault(Why.REFUSED, address + " is no address: " + e.getReason() + ".", e);
        }
    }

    @Override
    public Amount survey() throws IOException {
        Head now = care.of(() -> {
            try (var answer = line.get(address, 0, null)) {
                return head(answer);
            }
        });
        head = now;
        return new Amount(1, now.size());
    }

    private Head head(WebLine.Answer answer) throws StoreFault {
        String length = answer.header("Content-Length");
        if (length == null || !length.matches("[0-9]{1,18}")) {
            throw new StoreFault(
                    Why.REFUSED,
                    "The server of " + address
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
    public void fetch(Landing landing, Crew crew) throws IOException {
        Head known = Objects.requireNonNull(head, "counted before it is fetched");
        String version = known.version() == null ? UUID.randomUUID().toString() : known.version();
        Instant changed = known.changed() == null ? Instant.now() : known.changed();
        landing.land(
                Place.ROOT.with(name(address)),
                new Announced(address + " " + version, known.size(), changed),
                from -> from(known, from));
    }

    private Coming from(Head known, long from) throws IOException {
        String version = from > 0 ? known.version() : null;
        var answer = line.get(address, from, version);
        try {
            if (answer.isPart() ? !isRest(answer, known, from) : !head(answer).equals(known)) {
                throw new StoreFault(Why.CHANGED, address + " has changed while it was fetched. Submit the job again.");
            }
            if (!answer.isPart()) {
                answer.body().skipNBytes(from);
            }
            return new Coming(answer.body(), null);
        } catch (StoreFault e) {
            answer.close();
            throw e;
        } catch (IOException e) {
            answer.close();
            throw new StoreFault(Why.BROKEN, "The line broke: " + e.getMessage(), e);
        }
    }

    private static boolean isRest(WebLine.Answer answer, Head known, long from) {
        return ("bytes " + from + "-" + (known.size() - 1) + "/" + known.size()).equals(answer.header("Content-Range"));
    }

    /** The last part of its path, as a file can be called. */
    static String name(URI address) {
        String path = Objects.requireNonNullElse(address.getRawPath(), "");
        String last = path.substring(path.lastIndexOf('/') + 1);
        String plain = decoded(last).replaceAll("(?U)[\\p{Cntrl}/\\\\\\p{Cf}\\p{Cs}]", "_");
        int start = Math.max(0, plain.length() - LONGEST_NAME);
        String name = plain.substring(start).strip();
        return name.isEmpty() || name.equals(".") || name.equals("..") ? UNNAMED : name;
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
