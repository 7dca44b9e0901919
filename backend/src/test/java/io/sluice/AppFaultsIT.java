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
import java.util.Map;
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
        Answer away = page(mortal, "/", "en");
        assertThat(away.status()).isIn(502, 503);
        assertThat(away.body())
                .containsAnyOf("The app does not answer", "The app is starting")
                .contains("To its job");
        Files.writeString(ann.home().resolve("again"), "");
        DoorDesk.until("it is there again", () -> page(mortal, "/", "en").status() == 200);
        ann.stop("mortal");
        DoorDesk.until("its job is over", () -> page(mortal, "/", "en").status() == 410);
        assertThat(page(mortal, "/", "en").body()).contains("The job has ended").contains("To its job");
    }
}
