package io.sluice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Requests that two readers could understand differently, and what becomes of them on one way to an app. */
final class Smuggling {
    private static final String HIDDEN = "GET /SMUGGLED HTTP/1.1\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n";

    private final Way way;
    private final Map<String, Outcome> outcomes;

    private Smuggling(Way way, Map<String, Outcome> outcomes) {
        this.way = way;
        this.outcomes = outcomes;
    }

    /** @param refused whether it must not arrive at all; else it may, once and well-formed */
    record Case(String name, String bytes, boolean refused) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final String HEAD = "Host: HOST\r\nCookie: COOKIE\r\n";

    private static Case post(String name, String fields, String body, boolean refused) {
        return new Case(name, "POST /case HTTP/1.1\r\n" + HEAD + fields + "\r\n" + body, refused);
    }

    private static Case get(String name, String fields, boolean refused) {
        return new Case(name, "GET /case HTTP/1.1\r\n" + HEAD + fields + "\r\n", refused);
    }

    private static Case path(String uri, boolean refused) {
        return new Case("path " + uri, "GET " + uri + " HTTP/1.1\r\n" + HEAD + "\r\n", refused);
    }

    static Stream<Case> cases() {
        return Stream.of(lengths(), codings(), chunks(), fields(), hosts(), lines(), paths(), upgrades())
                .flatMap(List::stream);
    }

    private static List<Case> lengths() {
        var cases = new ArrayList<Case>();
        for (String length : List.of(
                "+5",
                "-1",
                "5,5",
                "5, 6",
                "0x5",
                "5 5",
                "٥",
                "5;",
                "1e1",
                " ",
                "99999999999999999999",
                "5\u000b",
                "05a",
                "\"5\"",
                "5.0")) {
            cases.add(post("length " + length, "Content-Length: " + length + "\r\n", "hello" + HIDDEN, true));
        }
        cases.add(post("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", "hello" + HIDDEN, true));
        cases.add(post("no length first", "Content-Length: 0\r\nContent-Length: 5\r\n", "hello" + HIDDEN, true));
        cases.add(post("length by underscore", "Content_Length: 5\r\n", "", false));
        cases.add(post("length with a blank before the colon", "Content-Length : 5\r\n", "hello" + HIDDEN, true));
        cases.add(post("length with a tab before the colon", "Content-Length\t: 5\r\n", "hello" + HIDDEN, true));
        cases.add(post("folded length", "Content-Length:\r\n 5\r\n", "hello", false));
        cases.add(post("length after an empty name", ": x\r\nContent-Length: 5\r\n", "hello" + HIDDEN, true));
        return cases;
    }

    private static List<Case> codings() {
        var cases = new ArrayList<Case>();
        String chunked = "0\r\n\r\n" + HIDDEN;
        cases.add(post("length and coding", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunked, true));
        cases.add(post("coding and length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", chunked, true));
        for (String coding : List.of(
                "xchunked",
                "chunkedx",
                "identity",
                "gzip",
                "chunked, identity",
                "gzip, chunked",
                "chunked, chunked",
                "identity, chunked",
                "\"chunked\"",
                "chunked;q=1",
                "chun\u000bked",
                "\u000bchunked",
                "chunked\u0000",
                ", chunked",
                "x chunked",
                "CHUNKEDX",
                "cow")) {
            cases.add(post("coding " + coding, "Transfer-Encoding: " + coding + "\r\n", chunked, true));
            cases.add(post(
                    "length and coding " + coding,
                    "Content-Length: 5\r\nTransfer-Encoding: " + coding + "\r\n",
                    chunked,
                    true));
        }
        cases.add(post("two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunked, true));
        cases.add(post(
                "two codings the other way", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n", chunked, true));
        cases.add(post("coding with a blank before the colon", "Transfer-Encoding : chunked\r\n", chunked, true));
        cases.add(post("coding after a blank", " Transfer-Encoding: chunked\r\n", chunked, false));
        cases.add(post("coding by underscore", "Transfer_Encoding: chunked\r\n", "", false));
        cases.add(post("folded coding", "Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n", false));
        cases.add(post("coding in a value", "X: y\nTransfer-Encoding: chunked\r\n", "", true));
        cases.add(post("coding after a carriage return", "X: y\rTransfer-Encoding: chunked\r\n", "", true));
        cases.add(new Case(
                "coding in HTTP/1.0",
                "POST /case HTTP/1.0\r\n" + HEAD + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunked,
                true));
        return cases;
    }

    private static List<Case> chunks() {
        var cases = new ArrayList<Case>();
        for (String size : List.of(
                "+5", "-5", "0x5", "5 x", "g", "", "5\u000b", "fffffffffffffffff", "5,5", "5\u0000", ";5", " ", "٥")) {
            cases.add(post(
                    "size " + size, "Transfer-Encoding: chunked\r\n", size + "\r\nhello\r\n0\r\n\r\n" + HIDDEN, false));
        }
        cases.add(post("bare end of size", "Transfer-Encoding: chunked\r\n", "5\nhello\r\n0\r\n\r\n" + HIDDEN, false));
        cases.add(post(
                "bare end of extension", "Transfer-Encoding: chunked\r\n", "5;a\nhello\r\n0\r\n\r\n" + HIDDEN, false));
        cases.add(post(
                "return in extension",
                "Transfer-Encoding: chunked\r\n",
                "5;a\rb\r\nhello\r\n0\r\n\r\n" + HIDDEN,
                false));
        cases.add(post("bare end of chunk", "Transfer-Encoding: chunked\r\n", "5\r\nhello\n0\r\n\r\n" + HIDDEN, false));
        cases.add(post("no end of chunk", "Transfer-Encoding: chunked\r\n", "5\r\nhello0\r\n\r\n" + HIDDEN, false));
        cases.add(post(
                "longer than its size", "Transfer-Encoding: chunked\r\n", "3\r\nhello\r\n0\r\n\r\n" + HIDDEN, false));
        cases.add(post(
                "length in the trailer", "Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 50\r\n\r\n", false));
        cases.add(post("host in the trailer", "Transfer-Encoding: chunked\r\n", "0\r\nHost: evil\r\n\r\n", false));
        return cases;
    }

    private static List<Case> fields() {
        var cases = new ArrayList<Case>();
        for (String field : List.of(
                "X Y: z",
                "X\u0000Y: z",
                "X\u007f: z",
                "X(: z",
                "X,: z",
                "X/: z",
                "X;: z",
                "X<: z",
                "X=: z",
                "X>: z",
                "X?: z",
                "X@: z",
                "X[: z",
                "X\\: z",
                "X]: z",
                "X{: z",
                "X}: z",
                "X\": z",
                "X\u00e9: z",
                "no colon",
                ": no name")) {
            cases.add(get("field " + field, field + "\r\n", true));
        }
        for (String value : List.of("a\u0000b", "a\nb", "a\rb", "a\r b", "\u0001", "a\u007fb", "a\u000bb", "a\fb")) {
            cases.add(get("value " + value, "X-Value: " + value + "\r\n", true));
        }
        cases.add(get("20 KiB of a field", "X-Long: " + "y".repeat(20_480) + "\r\n", true));
        cases.add(get("5,000 fields", "X-Many: y\r\n".repeat(5_000), true));
        return cases;
    }

    private static List<Case> hosts() {
        var cases = new ArrayList<Case>();
        cases.add(new Case(
                "two hosts", "GET /case HTTP/1.1\r\nHost: HOST\r\nHost: evil\r\nCookie: COOKIE\r\n\r\n", true));
        cases.add(new Case(
                "two hosts, ours last",
                "GET /case HTTP/1.1\r\nHost: evil\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n",
                true));
        cases.add(new Case(
                "the same host twice",
                "GET /case HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\nCookie: COOKIE\r\n\r\n",
                true));
        cases.add(new Case("no host", "GET /case HTTP/1.1\r\nCookie: COOKIE\r\n\r\n", true));
        cases.add(new Case("whole address", "GET http://HOST/case HTTP/1.1\r\n" + HEAD + "\r\n", true));
        cases.add(new Case("another whole address", "GET http://evil/case HTTP/1.1\r\n" + HEAD + "\r\n", true));
        cases.add(new Case("host with a user", "GET /case HTTP/1.1\r\nHost: a@HOST\r\nCookie: COOKIE\r\n\r\n", true));
        cases.add(new Case("host with a path", "GET /case HTTP/1.1\r\nHost: HOST/x\r\nCookie: COOKIE\r\n\r\n", true));
        cases.add(
                new Case("host with a comma", "GET /case HTTP/1.1\r\nHost: HOST,evil\r\nCookie: COOKIE\r\n\r\n", true));
        cases.add(new Case("folded host", "GET /case HTTP/1.1\r\nHost: evil\r\n HOST\r\nCookie: COOKIE\r\n\r\n", true));
        return cases;
    }

    private static List<Case> lines() {
        var cases = new ArrayList<Case>();
        for (String line : List.of(
                "GET /case HTTP/2.0",
                "GET /case HTTP/0.9",
                "GET /case HTTP/1.1 x",
                "GET /case",
                "GET  /case HTTP/1.1",
                "GET\t/case\tHTTP/1.1",
                "G\u0000T /case HTTP/1.1",
                "G T /case HTTP/1.1",
                "GET /case http/1.1",
                "GET /case HTTP/1.1\r",
                "GET /case HTTP/11",
                "GET case HTTP/1.1",
                "CONNECT HOST HTTP/1.1",
                "CONNECT /case HTTP/1.1",
                "OPTIONS * HTTP/1.1",
                "TRACE /case HTTP/1.1",
                "GET /c\u0000ase HTTP/1.1",
                "GET /c\u000base HTTP/1.1",
                "PRI * HTTP/2.0")) {
            cases.add(new Case(
                    "line " + line, line + "\r\n" + HEAD + "\r\n", !line.contains("  ") && !line.contains("\t")));
        }
        cases.add(new Case("bare ends", "GET /case HTTP/1.1\nHost: HOST\nCookie: COOKIE\n\n", true));
        cases.add(new Case("bare end in the middle", "GET /case HTTP/1.1\r\nHost: HOST\nCookie: COOKIE\r\n\r\n", true));
        cases.add(
                new Case("10 KiB of a line", "GET /case" + "x".repeat(10_240) + " HTTP/1.1\r\n" + HEAD + "\r\n", true));
        return cases;
    }

    private static List<Case> paths() {
        var cases = new ArrayList<Case>();
        for (String uri : List.of(
                "/../case",
                "/x/../case",
                "/x/./case",
                "/.",
                "/..",
                "/x/..",
                "/%2e%2e/case",
                "/x/%2E%2e/case",
                "/x/.%2e/case",
                "/x/%2e/case",
                "/x/..;/case",
                "/x/..%2fcase",
                "/x/..%5ccase",
                "/x\\..\\case",
                "/x%5c..%5ccase",
                "/case%00",
                "/case%0a",
                "/case%0d%0aX:y",
                "/case%",
                "/case%2",
                "/case%zz",
                "/case#fragment",
                "/case|x",
                "/case\"x",
                "/case<x>",
                "/case^x",
                "/case`x",
                "/case{x}",
                "/case\u00e9",
                "/case?x=%00",
                "/case?x=%0d%0aX:y",
                "/case?x=\u00e9",
                "/case?x#y",
                "/.sluice/enter",
                "/.sluice/enter?ticket=",
                "/.sluice/enter?ticket=" + "A".repeat(43),
                "/.sluice/enter?ticket=%27%20OR%201=1",
                "/.sluice/other")) {
            cases.add(path(uri, true));
        }
        for (String uri : List.of(
                "//case", "/case;x=y", "/a%2Fcase", "/case%25", "/case?x=../y", "/case?x=//other", "/...", "/.case")) {
            cases.add(path(uri, false));
        }
        return cases;
    }

    private static List<Case> upgrades() {
        var cases = new ArrayList<Case>();
        for (String upgrade :
                List.of("h2c", "HTTP/2.0", "TLS/1.0", "websocket, h2c", "h2c, websocket", "", "WebSocketX")) {
            cases.add(get(
                    "upgrade to " + upgrade,
                    "Origin: http://HOST\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\nUpgrade: "
                            + upgrade + "\r\n",
                    true));
        }
        cases.add(post(
                "upgrade with a body",
                "Origin: http://HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 5\r\n",
                "hello" + HIDDEN,
                true));
        return cases;
    }

    /** How an app is that somebody found at fault, the gateway asks itself. */
    private static final Pattern OURS =
            Pattern.compile("GET / HTTP/1\\.1\\s+host: [\\d.]+:\\d+\\s+connection: close\\s*");

    /** What became of a case: on a connection of its own, or on one on which its app was asked before. */
    private record Outcome(Answer answer, List<String> heard) {}

    /** All at once: most of the time nothing comes, which takes its time to know. */
    static Smuggling tried(Way way) throws Exception {
        var all = new Smuggling(way, new HashMap<>());
        all.run();
        return all;
    }

    private void run() throws Exception {
        int before = Files.readString(way.kept(), StandardCharsets.ISO_8859_1).length();
        Map<String, Future<Answer>> answers = new LinkedHashMap<>();
        try (var crowd = Executors.newFixedThreadPool(48)) {
            for (boolean again : List.of(false, true)) {
                for (Case one : cases().toList()) {
                    String mark = mark(one, again);
                    answers.put(mark, crowd.submit(() -> sent(filled(one.bytes, mark), again)));
                }
            }
        }
        List<String> blocks = Stream.of(Files.readString(way.kept(), StandardCharsets.ISO_8859_1)
                        .substring(before)
                        .split("\n--\n"))
                .filter(block -> !OURS.matcher(block).matches())
                .toList();
        for (var answer : answers.entrySet()) {
            String line = "X-Case: " + answer.getKey() + "\r\n";
            var heard = blocks.stream().filter(block -> block.contains(line)).toList();
            outcomes.put(answer.getKey(), new Outcome(answer.getValue().get(), heard));
        }
        assertThat(blocks).allMatch(block -> block.contains("X-Case: ")).noneMatch(block -> block.contains("SMUGGLED"));
    }

    private static String mark(Case one, boolean again) {
        return (again ? "again-" : "first-") + Integer.toHexString(one.bytes.hashCode());
    }

    private Answer sent(String bytes, boolean again) throws IOException {
        try (Visitor visitor = again ? way.known("X-Case: before") : way.visitor()) {
            return visitor.rest(bytes, 400);
        }
    }

    /** @param again on a connection on which the way was known */
    void look(Case one, boolean again) {
        Outcome outcome = requireNonNull(outcomes.get(mark(one, again)));
        List<String> heard = outcome.heard;
        assertThat(heard.size()).as(one.name).isLessThanOrEqualTo(1);
        if (one.refused) {
            assertThat(heard).as(one.name).isEmpty();
            int status = outcome.answer.status();
            assertThat(status == 0 || status >= 400)
                    .as(one.name + outcome.answer.head())
                    .isTrue();
        } else if (!heard.isEmpty()) {
            String block = heard.getFirst();
            assertThat(block.replace("\r\n", ""))
                    .as(one.name)
                    .doesNotContain("\r")
                    .doesNotContain("evil");
            assertThat(block.lines()
                            .filter(line -> line.regionMatches(true, 0, "Host:", 0, 5))
                            .count())
                    .as(one.name)
                    .isEqualTo(1);
        }
    }

    private String filled(String bytes, String mark) {
        return way.within(bytes)
                .replace("Origin: http://HOST", "Origin: " + way.origin())
                .replaceFirst("Cookie: COOKIE(\r?\n)", "Cookie: COOKIE$1X-Case: " + mark + "\r\n")
                .replace("HOST", way.host())
                .replace("COOKIE", way.cookie());
    }
}
