package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An app that does what it should not: whoever is there reads what has happened and what to do, in their language. */
class AppFaultsIT {
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

    @AfterAll
    static void close() {
        ann.stop("evil");
        desk.close();
    }

    private static Answer page(Door at, String uri, String language) {
        return desk.raw(at.request(
                "GET",
                uri,
                "Accept: text/html",
                "Accept-Language: " + language,
                "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: document",
                "Sec-Fetch-Site: none",
                "Connection: close"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"/garbage", "/close", "/wide"})
    void what_is_no_answer_is_a_page_that_says_so(String uri) {
        Answer english = page(door, uri, "en");
        assertThat(english.status()).isEqualTo(502);
        assertThat(english.body())
                .contains("<h1>The app broke off</h1>")
                .contains("Try again")
                .contains("To its job")
                .contains("/endpoints/" + door.host().substring(0, 20));
        String chinese = page(door, uri, "zh").body();
        assertThat(new String(chinese.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                .contains("<h1>应用中断了连接</h1>");
        assertThat(page(door, "/", "en").body()).contains("<h1>app</h1>");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "HTTP/1.1 42 The Answer",
                "HTTP/1.1 -200 Negative",
                "HTTP/1.1 2000 Long",
                "HTTP/1.1 600 High",
                "HTTP/2.0 200 OK",
                "ICY 200 OK"
            })
    void a_first_line_that_is_no_answers_keeps_nobody_waiting(String line) {
        long asked = System.nanoTime();
        Answer answer = page(door, "/first?l=" + URLEncoder.encode(line, StandardCharsets.UTF_8), "en");
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.body()).contains("<h1>The app broke off</h1>");
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"/switch", "/soon"})
    void one_that_only_seems_to_answer_is_not_waited_for(String uri) {
        assertThat(page(door, uri, "en").status()).isEqualTo(502);
    }

    @Test
    void half_an_answer_is_not_made_to_look_like_a_whole_one() throws IOException {
        try (Socket socket = desk.connect()) {
            socket.getOutputStream().write(door.request("GET", "/half").getBytes(StandardCharsets.ISO_8859_1));
            var answer = new Answer(DoorDesk.all(socket));
            assertThat(answer.field("Content-Length")).isEqualTo("1000");
            assertThat(answer.body()).isEqualTo("half");
        }
    }

    @Test
    void one_that_hangs_keeps_nobody_else_waiting_and_can_be_left() throws IOException {
        try (Socket hung = desk.connect()) {
            hung.getOutputStream().write(door.request("GET", "/hang").getBytes(StandardCharsets.ISO_8859_1));
            for (int i = 0; i < 20; i++) {
                assertThat(page(door, "/", "en").status()).isEqualTo(200);
            }
            hung.setSoTimeout(300);
            assertThat(DoorDesk.all(hung)).isEmpty();
        }
    }

    @Test
    void one_that_dies_is_said_to_be_away_and_is_there_again_when_it_is() throws IOException {
        ann.submit(
                "mortal",
                "cd /userhome; python3 evil.py $PAI_CURRENT_CONTAINER_PORT mortal.kept 127.0.0.1;"
                        + " until [ -e again ]; do sleep 0.05; done;"
                        + " exec python3 evil.py $PAI_CURRENT_CONTAINER_PORT mortal.kept 127.0.0.1",
                Map.of());
        ann.on("mortal", "web", "{\"recipe\":\"port\"}");
        ann.ready("mortal", "web");
        Door mortal = ann.door("mortal", "web");
        assertThat(page(mortal, "/die", "en").status()).isEqualTo(502);
        // whoever comes while its port is being closed is let in there, and dropped
        DoorDesk.until("it is said to be away", () -> {
            Answer away = page(mortal, "/", "en");
            return (away.status() == 502 || away.status() == 503)
                    && away.body().contains("To its job")
                    && (away.body().contains("The app does not answer")
                            || away.body().contains("The app is starting"));
        });
        Files.writeString(ann.home().resolve("again"), "");
        DoorDesk.until("it is there again", () -> page(mortal, "/", "en").status() == 200);
        ann.stop("mortal");
        DoorDesk.until("its job is over", () -> page(mortal, "/", "en").status() == 410);
        assertThat(page(mortal, "/", "en").body()).contains("The job has ended").contains("To its job");
    }

    /** Half of an answer must not look like a whole one; but who has heard nothing is not left without a word. */
    @Test
    void who_has_heard_nothing_yet_is_told_why_when_the_app_goes() throws IOException {
        Door fifth = ann.evil("fifth");
        var off = new ArrayList<Visitor>();
        try {
            for (String asked : List.of(
                    fifth.request("GET", "/hang"),
                    fifth.request("POST", "/hang", "Content-Length: 3") + "all",
                    fifth.request("POST", "/echo", "Content-Length: 1000") + "some",
                    fifth.upgrade("/hang", "Origin: " + fifth.origin()))) {
                for (boolean again : List.of(false, true)) {
                    var visitor = new Visitor(desk);
                    off.add(visitor);
                    if (again) {
                        visitor.ask(fifth.request("GET", "/echo"));
                    }
                    visitor.send(asked);
                }
            }
            DoorDesk.until(
                    "all are on their way", () -> heard("fifth", " /hang ") == 6 && heard("fifth", "POST /echo ") == 2);
            assertThat(ann.call("DELETE", ann.endpoint("fifth", "web"), null).statusCode())
                    .isEqualTo(204);
            for (Visitor one : off) {
                Answer told = one.hear(false);
                assertThat(told.status()).isEqualTo(503);
                assertThat(told.body()).contains("switched off");
            }
        } finally {
            for (Visitor one : off) {
                one.close();
            }
        }
        ann.on("fifth", "web", "{\"recipe\":\"port\"}");
        ann.ready("fifth", "web");
        try (var visitor = new Visitor(desk)) {
            visitor.ask(fifth.request("GET", "/echo"));
            visitor.send(fifth.request("GET", "/hang"));
            DoorDesk.until("it is on its way", () -> heard("fifth", " /hang ") == 7);
            ann.stop("fifth");
            Answer told = visitor.hear(false);
            // its task ends a moment before its job is known to have: what is told is what is known then
            assertThat(told.status()).isIn(410, 502);
            assertThat(told.body()).contains(told.status() == 410 ? "job of this endpoint has ended" : "The app ");
            ann.becomes("fifth", "web", "ended");
            for (int i = 0; i < 2; i++) {
                assertThat(visitor.ask(fifth.request("GET", "/echo")).status()).isEqualTo(410);
            }
        }
    }

    private static int heard(String job, String what) {
        try {
            return Files.readString(ann.kept(job), StandardCharsets.ISO_8859_1).split(what, -1).length - 1;
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void while_an_endpoint_goes_off_and_on_every_question_gets_a_whole_answer() throws Exception {
        Door sixth = ann.evil("sixth");
        var over = new AtomicBoolean();
        var statuses = ConcurrentHashMap.<Integer>newKeySet();
        try (var crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            var asking = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                asking.add(crowd.submit(() -> {
                    try (var visitor = new Visitor(desk)) {
                        while (!over.get()) {
                            statuses.add(
                                    visitor.ask(sixth.request("GET", "/echo")).status());
                        }
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 4; i++) {
                ann.call("DELETE", ann.endpoint("sixth", "web"), null);
                ann.becomes("sixth", "web", "off");
                ann.on("sixth", "web", "{\"recipe\":\"port\"}");
                ann.ready("sixth", "web");
            }
            over.set(true);
            for (Future<?> one : asking) {
                one.get();
            }
        }
        assertThat(statuses).containsExactlyInAnyOrder(200, 503);
        ann.stop("sixth");
    }
}
