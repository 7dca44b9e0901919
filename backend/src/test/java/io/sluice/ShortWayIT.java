package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks an app again on the same connection goes there past Vert.x, and finds everything as it is on the long way. */
class ShortWayIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static Door door;

    @BeforeAll
    static void open() throws IOException {
        desk = new DoorDesk(folder);
        ann = desk.somebody("ann");
        door = ann.evil("evil");
    }

    /** A gateway that ends waits for an answer that never ends no longer than for others. */
    @AfterAll
    static void close() throws IOException {
        try (var listens = known()) {
            listens.send(door.request("GET", "/ticks"));
            assertThat(DoorDesk.until(listens.socket, "data: x")).startsWith("HTTP/1.1 200");
            long from = System.nanoTime();
            desk.close();
            DoorDesk.all(listens.socket);
            assertThat(System.nanoTime() - from).isLessThan(15_000_000_000L);
        }
    }

    private static int shortened() {
        String metrics = desk.raw("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                .body();
        return metrics.lines()
                .filter(line -> line.startsWith("sluice_endpoints_shortcuts_total "))
                .map(line -> (int) Double.parseDouble(line.substring(line.indexOf(' '))))
                .findFirst()
                .orElseThrow();
    }

    /** One who has been let in on this connection. */
    private static Visitor known() throws IOException {
        var visitor = new Visitor(desk);
        assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
        return visitor;
    }

    private static List<String> sorted(String head) {
        return Arrays.stream(head.split("\r\n"))
                .map(line -> line.contains(": ")
                        ? line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT)
                                + line.substring(line.indexOf(':'))
                        : line)
                .sorted()
                .toList();
    }

    @Test
    void what_is_said_on_both_ways_is_the_same() throws IOException {
        int before = shortened();
        List<String> asked = List.of(
                door.request(
                        "GET", "/echo?a=b&c=%20+%2F", "Accept: text/html", "X-Own: \u00e9", "X-Two: 1", "X-Two: 2"),
                door.request("GET", "/echo", "Origin: " + door.origin(), "Referer: " + door.origin() + "/x?y"),
                door.request(
                        "GET",
                        "/echo",
                        "Referer: http://elsewhere.example/secret",
                        "Connection: keep-alive",
                        "TE: trailers"),
                door.request("GET", "/echo", "Sec-Fetch-Site: same-origin", "Keep-Alive: timeout=5"),
                door.request("OPTIONS", "/echo"),
                door.request(
                        "GET",
                        "/fields?f=Service-Worker-Allowed:%20/&f=Strict-Transport-Security:%20max-age=9"
                                + "&f=Access-Control-Allow-Origin:%20*&f=Refresh:%200&f=Connection:%20X-Hop&f=X-Hop:%201&f=X-Own:%20yes"
                                + "&f=Content-Security-Policy:%20frame-ancestors%20*&f=Set-Cookie:%20a=1;%20Domain=localhost;%20Path=/x"
                                + "&f=Set-Cookie:%20sluice_session=x&f=Referrer-Policy:%20origin&f=X-Two:%201&f=X-Two:%202&f=Keep-Alive:%205"),
                door.request(
                        "GET",
                        "/status?s=302&f=Location:%20http://127.0.0.1:"
                                + ann.state("evil", "web").path("port").asInt() + "/x"),
                door.request("GET", "/status?s=204"),
                door.request("GET", "/status?s=205"),
                door.request("GET", "/status?s=304&f=ETag:%20%22x%22"),
                door.request("GET", "/status?s=404"),
                door.request("GET", "/status?s=418"),
                door.request("GET", "/chunks"),
                door.request("GET", "/until"),
                door.request("GET", "/big?n=100000"));
        for (String one : asked) {
            Answer first;
            Answer again;
            try (var stranger = new Visitor(desk);
                    var visitor = known()) {
                first = stranger.ask(one);
                again = visitor.ask(one);
                assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
            }
            assertThat(sorted(again.head())).as(one).isEqualTo(sorted(first.head()));
            assertThat(one.contains("/echo") ? sorted(again.body()) : again.body())
                    .as(one)
                    .isEqualTo(one.contains("/echo") ? sorted(first.body()) : first.body());
        }
        // scraped at most once a second
        DoorDesk.until("they went the short way", () -> shortened() - before >= 2 * asked.size());
    }

    @Test
    void an_answer_to_HEAD_has_no_body() throws IOException {
        try (var visitor = known()) {
            for (String path : List.of("/chunks", "/status?s=200", "/big?n=0")) {
                Answer head = visitor.ask(door.request("HEAD", path));
                assertThat(head.status()).isEqualTo(200);
            }
            assertThat(visitor.ask(door.request("GET", "/echo")).body()).startsWith("GET /echo ");
        }
    }

    @Test
    void what_is_not_as_it_was_goes_the_long_way_and_is_looked_at_there() throws IOException {
        Door other = ann.evil("other");
        String mine = door.request("GET", "/echo");
        List<String> refused = List.of(
                mine.replace(door.host(), other.host()),
                mine.replace(door.cookie(), "x=y"),
                mine.replace(door.cookie(), door.cookie() + "x"),
                door.request("GET", "/echo", "Sec-Fetch-Site: cross-site"),
                door.request("GET", "/echo", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"),
                door.request("GET", "/.sluice/enter?ticket=x"),
                door.request("GET", "/x/..;/echo"),
                door.request("POST", "/echo", "Origin: http://evil.example", "Content-Length: 0"));
        for (String one : refused) {
            try (var visitor = known()) {
                assertThat(visitor.ask(one).status()).as(one).isBetween(400, 404);
            }
        }
        try (var visitor = known()) {
            String both = "Cookie: " + other.cookie();
            assertThat(visitor.ask(other.request("GET", "/echo")).status()).isEqualTo(200);
            assertThat(visitor.ask(door.request("GET", "/echo", both)).status()).isEqualTo(200);
            assertThat(visitor.ask(door.request("GET", "/echo", "Authorization: Bearer " + ann.token))
                            .body())
                    .doesNotContain(ann.token);
            assertThat(visitor.ask(door.request("GET", "/echo", "X-Forwarded-For: 6.6.6.6", "X_Real_IP: 6.6.6.6"))
                            .body())
                    .doesNotContain("6.6.6.6");
            assertThat(visitor.ask(door.request("GET", "/echo", "Cookie: sluice_session=secret"))
                            .body())
                    .doesNotContain("secret");
            assertThat(visitor.ask(door.request("POST", "/echo", "Content-Length: 5") + "hello")
                            .field("X-Got"))
                    .isEqualTo("5");
            assertThat(visitor.ask(door.request("GET", "/echo", "Content-Length: 5") + "hello")
                            .field("X-Got"))
                    .isEqualTo("5");
        }
        ann.stop("other");
    }

    @Test
    void who_does_not_wait_for_answers_gets_them_in_order() throws IOException {
        try (var visitor = known()) {
            var all = new StringBuilder();
            for (int i = 0; i < 40; i++) {
                all.append(
                        i % 7 == 3
                                ? door.request("POST", "/echo?n=" + i, "Content-Length: 2") + "hi"
                                : door.request("GET", (i % 5 == 0 ? "/chunks?n=" : "/echo?n=") + i));
            }
            visitor.send(all.toString());
            for (int i = 0; i < 40; i++) {
                Answer answer = visitor.hear(false);
                if (i % 5 == 0 && i % 7 != 3) {
                    assertThat(answer.body()).isEqualTo("hello again");
                } else {
                    assertThat(answer.body()).contains(" /echo?n=" + i + " HTTP/1.1");
                }
            }
            visitor.send(door.request("GET", "/echo") + door.upgrade("/ws", "Origin: " + door.origin()));
            assertThat(visitor.hear(false).status()).isEqualTo(200);
            assertThat(DoorDesk.until(visitor.socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            visitor.send("as they are");
            assertThat(DoorDesk.until(visitor.socket, "as they are")).isEqualTo("as they are");
        }
    }

    @Test
    void an_app_that_fails_is_told_of_as_on_the_long_way() throws IOException {
        for (String path :
                List.of("/garbage", "/close", "/wide", "/status?s=200&f=X-Bad:%20a%0bb", "/switch", "/soon")) {
            int before = asked(path);
            try (var visitor = known()) {
                Answer answer = visitor.ask(door.request("GET", path, "Accept: text/html"));
                assertThat(answer.status()).as(path).isEqualTo(502);
                assertThat(answer.field("Content-Security-Policy")).contains("default-src 'none'");
                assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
            }
            // who closes without a word may have done so before: that one is asked once more
            assertThat(asked(path) - before).as(path).isEqualTo(path.equals("/close") ? 2 : 1);
        }
        try (var visitor = known()) {
            visitor.send(door.request("GET", "/half"));
            String half = DoorDesk.all(visitor.socket);
            assertThat(half).contains("Content-Length: 1000").endsWith("half");
        }
        try (var visitor = known()) {
            assertThat(visitor.ask(door.request("GET", "/both")).text()).doesNotContain("STOLEN");
            assertThat(visitor.ask(door.request("GET", "/two")).body()).isEqualTo("one");
        }
        try (var another = known()) {
            assertThat(another.ask(door.request("GET", "/echo")).text()).doesNotContain("STOLEN");
        }
    }

    private static int asked(String path) throws IOException {
        String kept = Files.readString(ann.kept("evil"), StandardCharsets.ISO_8859_1);
        return kept.split("GET " + path.replace("?", "\\?") + " ", -1).length - 1;
    }

    @Test
    void who_reads_slowly_stops_the_app_and_gets_all_of_it() throws IOException {
        int size = 30_000_000;
        try (var visitor = known()) {
            visitor.send(door.request("GET", "/big?n=" + size));
            Answer all = visitor.hear(false);
            assertThat(all.body()).hasSize(size).matches(text -> text.chars().allMatch(letter -> letter == 'x'));
            assertThat(visitor.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
        }
        Path sent = ann.kept("evil").resolveSibling("evil.kept.sent");
        Files.deleteIfExists(sent);
        try (var visitor = known()) {
            visitor.send(door.request("GET", "/endless"));
            var last = new long[2];
            DoorDesk.until("it stands still", () -> {
                long now = sent.toFile().length() == 0 ? 0 : read(sent);
                last[1] = now > 0 && now == last[0] ? last[1] + 1 : 0;
                last[0] = now;
                return last[1] > 25;
            });
            assertThat(last[0]).isLessThan(40_000_000);
        }
    }

    private static long read(Path file) {
        try {
            String text = Files.readString(file);
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void who_may_not_any_more_is_cut_off_there_too() throws IOException {
        var carl = desk.somebody("carl");
        Door his = carl.evil("his");
        try (var rests = new Visitor(desk);
                var listens = new Visitor(desk);
                var waits = new Visitor(desk)) {
            for (Visitor one : List.of(rests, listens, waits)) {
                assertThat(one.ask(his.request("GET", "/echo")).status()).isEqualTo(200);
            }
            listens.send(his.request("GET", "/ticks"));
            assertThat(DoorDesk.until(listens.socket, "data: x")).startsWith("HTTP/1.1 200");
            waits.send(his.request("GET", "/hang"));
            long from = System.nanoTime();
            desk.crowd.disable(carl.person);
            DoorDesk.all(listens.socket);
            DoorDesk.all(waits.socket);
            assertThat(System.nanoTime() - from).isLessThan(5_000_000_000L);
            assertThat(rests.ask(his.request("GET", "/echo")).status()).isEqualTo(401);
        }
    }

    @Test
    void a_share_that_is_taken_back_ends_what_goes_that_way() throws IOException {
        var bob = desk.somebody("bob");
        String address = "/endpoints/" + door.host().substring(0, 20);
        assertThat(share("share").statusCode()).isEqualTo(303);
        Door his = desk.enter(
                URI.create(bob.call("GET", address, null)
                        .headers()
                        .firstValue("Location")
                        .orElseThrow()),
                "what ann shares");
        try (var rests = new Visitor(desk);
                var listens = new Visitor(desk)) {
            int before = shortened();
            for (Visitor one : List.of(rests, listens)) {
                assertThat(one.ask(his.request("GET", "/echo")).status()).isEqualTo(200);
            }
            listens.send(his.request("GET", "/ticks"));
            assertThat(DoorDesk.until(listens.socket, "data: x")).startsWith("HTTP/1.1 200");
            DoorDesk.until("it goes the short way", () -> shortened() > before);
            assertThat(share("unshare").statusCode()).isEqualTo(303);
            DoorDesk.all(listens.socket);
            for (int i = 0; i < 3; i++) {
                assertThat(rests.ask(his.request("GET", "/echo")).status()).isEqualTo(401);
            }
        }
        try (var owner = known()) {
            assertThat(owner.ask(door.request("GET", "/echo")).status()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> share(String what) {
        return ann.call("POST", "/jobs/ann~evil/endpoints/web/" + what, "{\"with\":\"bob\"}");
    }

    @Test
    void an_app_that_has_gone_or_has_another_life_is_not_asked_by_the_old_way() throws IOException {
        Door third = ann.evil("third");
        try (var visitor = new Visitor(desk)) {
            assertThat(visitor.ask(third.request("GET", "/echo")).status()).isEqualTo(200);
            visitor.send(third.request("GET", "/ticks"));
            assertThat(DoorDesk.until(visitor.socket, "data: x")).startsWith("HTTP/1.1 200");
            ann.stop("third");
            DoorDesk.all(visitor.socket);
        }
        try (var visitor = new Visitor(desk)) {
            ann.becomes("third", "web", "ended");
            assertThat(visitor.ask(third.request("GET", "/echo")).status()).isEqualTo(410);
        }
    }

    @Test
    void a_browser_that_leaves_frees_the_app() throws IOException {
        for (int i = 0; i < 3; i++) {
            try (var visitor = known()) {
                visitor.send(door.request("GET", "/ticks"));
                assertThat(DoorDesk.until(visitor.socket, "data: x")).startsWith("HTTP/1.1 200");
            }
        }
        DoorDesk.until(
                "no answer is on its way",
                () -> Stream.of(desk.raw("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                                .body()
                                .split("\n"))
                        .anyMatch(line -> line.equals("sluice_endpoints_exchanges 0.0")));
    }
}
