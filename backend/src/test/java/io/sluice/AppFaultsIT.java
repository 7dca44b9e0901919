package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An app that does what it should not: whoever is there reads what has happened and what to do, in their language, by whichever
 * way they came.
 */
class AppFaultsIT extends ThreeWays {
    private static final Pattern LINK = Pattern.compile("<a href=\"http://[^/\"]*(/endpoints/[^\"]*)\">To its job</a>");

    private static Answer page(Way way, String uri, String language) {
        return way.raw(way.request(
                "GET",
                uri,
                "Accept: text/html",
                "Accept-Language: " + language,
                "Sec-Fetch-Mode: navigate",
                "Sec-Fetch-Dest: document",
                "Sec-Fetch-Site: none",
                "Connection: close"));
    }

    /** An app of Ann's at the same gateway. */
    private static Way another(Way way, String job) throws IOException {
        way.owner().start(job);
        return Way.of(way.desk(), way.owner(), job);
    }

    private static void on(Way way) {
        way.owner().on(way.job(), "web", "{\"recipe\":\"port\"}");
        way.owner().ready(way.job(), "web");
    }

    private static void off(Way way) {
        var answer = way.owner().call("DELETE", way.owner().endpoint(way.job(), "web"), null);
        assertThat(answer.statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void what_is_no_answer_is_a_page_that_says_so(Way way) {
        for (String uri : List.of("/garbage", "/close", "/wide")) {
            Answer english = page(way, uri, "en");
            assertThat(english.status()).as(uri).isEqualTo(502);
            assertThat(english.body())
                    .as(uri)
                    .contains("<h1>The app broke off</h1>")
                    .contains("Try again")
                    .contains(":" + way.desk().port() + "/endpoints/" + way.id());
            leadsToItsJob(way, english);
            String chinese = page(way, uri, "zh").body();
            assertThat(new String(chinese.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                    .as(uri)
                    .contains("<h1>应用中断了连接</h1>");
            assertThat(page(way, "/", "en").body()).contains("<h1>app</h1>");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void a_first_line_that_is_no_answers_keeps_nobody_waiting(Way way) {
        for (String line : List.of(
                "HTTP/1.1 42 The Answer",
                "HTTP/1.1 -200 Negative",
                "HTTP/1.1 2000 Long",
                "HTTP/1.1 600 High",
                "HTTP/2.0 200 OK",
                "ICY 200 OK")) {
            long asked = System.nanoTime();
            Answer answer = page(way, "/first?l=" + URLEncoder.encode(line, StandardCharsets.UTF_8), "en");
            assertThat(answer.status()).as(line).isEqualTo(502);
            assertThat(answer.body()).as(line).contains("<h1>The app broke off</h1>");
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).as(line).isLessThan(Duration.ofSeconds(10));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void one_that_only_seems_to_answer_is_not_waited_for(Way way) {
        for (String uri : List.of("/switch", "/soon")) {
            assertThat(page(way, uri, "en").status()).as(uri).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void half_an_answer_is_not_made_to_look_like_a_whole_one(Way way) {
        Answer answer = way.raw(way.request("GET", "/half"));
        assertThat(answer.field("Content-Length")).isEqualTo("1000");
        assertThat(answer.body()).isEqualTo("half");
    }

    @ParameterizedTest
    @MethodSource("ways")
    void one_that_hangs_keeps_nobody_else_waiting_and_can_be_left(Way way) throws IOException {
        try (Visitor hung = way.visitor()) {
            hung.send(way.request("GET", "/hang"));
            for (int i = 0; i < 20; i++) {
                assertThat(page(way, "/", "en").status()).isEqualTo(200);
            }
            assertThat(hung.rest("", 300).text()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void one_that_dies_is_said_to_be_away_and_is_there_again_when_it_is(Way way) throws IOException {
        var ann = way.owner();
        ann.submit(
                "mortal",
                "cd /userhome; python3 evil.py $PAI_CURRENT_CONTAINER_PORT mortal.kept 127.0.0.1;"
                        + " until [ -e again ]; do sleep 0.05; done;"
                        + " exec python3 evil.py $PAI_CURRENT_CONTAINER_PORT mortal.kept 127.0.0.1",
                Map.of());
        ann.on("mortal", "web", "{\"recipe\":\"port\"}");
        ann.ready("mortal", "web");
        Way mortal = Way.of(way.desk(), ann, "mortal");
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
        DoorDesk.until("its job is over", () -> page(mortal, "/", "en").body().contains("The job has ended"));
        assertThat(page(mortal, "/", "en").status()).isEqualTo(410);
        leadsToItsJob(mortal, page(mortal, "/", "en"));
    }

    /** Half of an answer must not look like a whole one; but who has heard nothing is not left without a word. */
    @ParameterizedTest
    @MethodSource("ways")
    void who_has_heard_nothing_yet_is_told_why_when_the_app_goes(Way way) throws IOException {
        Way fifth = another(way, "fifth");
        var there = new ArrayList<Visitor>();
        try {
            for (String asked : List.of(
                    fifth.request("GET", "/hang"),
                    fifth.request("POST", "/hang", "Content-Length: 3") + "all",
                    fifth.request("POST", "/echo", "Content-Length: 1000") + "some",
                    fifth.upgrade("/hang", "Origin: " + fifth.origin()))) {
                for (Visitor visitor : List.of(fifth.visitor(), fifth.known())) {
                    there.add(visitor);
                    visitor.send(asked);
                }
            }
            DoorDesk.until(
                    "all are on their way", () -> heard(fifth, " /hang ") == 6 && heard(fifth, "POST /echo ") == 2);
            off(fifth);
            for (Visitor one : there) {
                Answer told = one.hear(false);
                assertThat(told.status()).isEqualTo(503);
                assertThat(told.body()).contains("switched off");
            }
        } finally {
            for (Visitor one : there) {
                one.close();
            }
        }
        on(fifth);
        try (Visitor visitor = fifth.known()) {
            visitor.send(fifth.request("GET", "/hang"));
            DoorDesk.until("it is on its way", () -> heard(fifth, " /hang ") == 7);
            way.owner().stop("fifth");
            Answer told = visitor.hear(false);
            assertThat(told.status()).isEqualTo(410);
            assertThat(told.body()).contains("The job of this endpoint");
            way.owner().becomes("fifth", "web", "ended");
            for (int i = 0; i < 2; i++) {
                Answer after = visitor.ask(fifth.request("GET", "/echo"));
                assertThat(after.status()).isEqualTo(410);
                assertThat(after.body()).contains("The job of this endpoint has ended");
            }
        }
    }

    /** The app is gone at once, its task not: it has the time that it was promised. */
    @ParameterizedTest
    @MethodSource("ways")
    void who_comes_while_the_job_is_being_stopped_is_told_that_and_not_that_the_app_broke_off(Way way)
            throws IOException {
        var ann = way.owner();
        ann.submit(
                "slow",
                "cd /userhome; trap 'kill $app; until [ -e end ]; do sleep 0.05; done; exit 0' TERM;"
                        + " python3 evil.py $PAI_CURRENT_CONTAINER_PORT slow.kept 127.0.0.1 & app=$!; wait",
                Map.of());
        ann.on("slow", "web", "{\"recipe\":\"port\"}");
        ann.ready("slow", "web");
        Way slow = Way.of(way.desk(), ann, "slow");
        try (Visitor stays = slow.visitor();
                Visitor known = slow.known()) {
            for (Visitor one : List.of(stays, known)) {
                one.send(slow.request("GET", "/hang"));
            }
            DoorDesk.until("they are on their way", () -> heard(slow, " /hang ") == 2);
            ann.stop("slow");
            for (Visitor one : List.of(stays, known)) {
                Answer told = one.hear(false);
                assertThat(told.status()).isEqualTo(410);
                assertThat(told.body()).contains("The job of this endpoint is being stopped.");
            }
            Answer page = page(slow, "/", "en");
            assertThat(page.status()).isEqualTo(410);
            assertThat(page.body()).contains("<h1>The job is being stopped</h1>");
            leadsToItsJob(slow, page);
        } finally {
            Files.writeString(ann.home().resolve("end"), "");
        }
        DoorDesk.until("it has ended", () -> page(slow, "/", "en").body().contains("<h1>The job has ended</h1>"));
    }

    /** Whoever is told why the app is not there finds more at its job, and not the same page once more. */
    private static void leadsToItsJob(Way way, Answer told) {
        Matcher link = LINK.matcher(told.body());
        assertThat(link.find()).as(told.body()).isTrue();
        var there = way.owner().call("GET", link.group(1), null);
        assertThat(there.statusCode()).isEqualTo(303);
        assertThat(there.headers().firstValue("Location"))
                .hasValue("/jobs/" + way.owner().name() + "~" + way.job());
    }

    private static int heard(Way way, String what) {
        return way.heard().split(what, -1).length - 1;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void while_an_endpoint_goes_off_and_on_every_question_gets_a_whole_answer(Way way) throws Exception {
        Way sixth = another(way, "sixth");
        var over = new AtomicBoolean();
        var statuses = ConcurrentHashMap.<Integer>newKeySet();
        try (var crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            var asking = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                asking.add(crowd.submit(() -> {
                    try (Visitor visitor = sixth.visitor()) {
                        while (!over.get()) {
                            statuses.add(
                                    visitor.ask(sixth.request("GET", "/echo")).status());
                        }
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 4; i++) {
                off(sixth);
                way.owner().becomes("sixth", "web", "off");
                on(sixth);
            }
            over.set(true);
            for (Future<?> one : asking) {
                one.get();
            }
        }
        assertThat(statuses).containsExactlyInAnyOrder(200, 503);
        way.owner().stop("sixth");
    }
}
