package io.sluice.jobs.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What stands before the body of a request, just as it came, a character for each byte.
 *
 * @param target as on the line, with what stands behind the question mark
 * @param headers by their names in small letters
 */
record Asking(String method, String target, Map<String, List<String>> headers, String text) {
    private static final int MOST = 64 << 10;

    /** The next one on a line; empty: the line is over. */
    static Optional<Asking> next(InputStream line) throws IOException {
        var text = new ByteArrayOutputStream();
        int ends = 0;
        for (int one = line.read(); one >= 0; one = line.read()) {
            text.write(one);
            ends = one == '\n' ? ends + 1 : one == '\r' ? ends : 0;
            if (ends == 2) {
                return Optional.of(of(text.toString(StandardCharsets.ISO_8859_1)));
            }
            if (text.size() > MOST) {
                throw new IOException("a request with more than " + MOST + " bytes of headers");
            }
        }
        return Optional.empty();
    }

    static Asking of(String text) {
        List<String> lines = Arrays.asList(text.split("\r\n"));
        String[] first = lines.getFirst().split(" ");
        var headers = lines.stream()
                .skip(1)
                .filter(line -> line.contains(":"))
                .collect(Collectors.groupingBy(
                        line -> line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT),
                        TreeMap::new,
                        Collectors.mapping(
                                line -> line.substring(line.indexOf(':') + 1).strip(), Collectors.toList())));
        return new Asking(first[0], first[1], headers, text);
    }

    String header(String name) {
        return String.join(",", headers.getOrDefault(name, List.of()));
    }

    long length() {
        return headers.containsKey("content-length") ? Long.parseLong(header("content-length")) : 0;
    }

    /** Whether its body comes only after it was looked at. */
    boolean waits() {
        return header("expect").equalsIgnoreCase("100-continue");
    }
}
