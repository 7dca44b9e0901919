package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.logs.Logs;
import io.sluice.web.Web;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs and readers at the ends of what there can be. The gateway closes what is idle for 2 s. */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class LogEdgesIT {
    private static final int IDLE_SECONDS = 2;
    private static final int LINE = 100_000_000;

    @TempDir
    private static Path folder;

    private static LogDesk desk;
    private static LogDesk.Client alice;

    /** With the engine that tasks are to have. */
    LogDesk desk(Path data, UnaryOperator<Web.Settings> web) throws Exception {
        return new LogDesk(data, Logs.Settings.of(data), web, HttpClient.newBuilder());
    }

    @BeforeAll
    void start() throws Exception {
        desk = desk(folder, web -> LogDesk.changed(web, web.port(), IDLE_SECONDS));
        alice = desk.client("alice", false);
    }

    @AfterAll
    void stop() throws Exception {
        desk.close();
    }

    @Test
    void a_line_of_100_mb_is_stored_ranged_searched_and_followed() throws Exception {
        String log = alice.submit(
                "endless", "head -c " + LINE + " /dev/zero | tr '\\0' x; echo needle; echo after; sleep 0.2; exit 0");
        alice.running("endless");
        var sum = CompletableFuture.supplyAsync(() -> counted(log + "?follow=1"));
        String behind = "bytes=" + (LINE - 20_000_000) + "-" + (LINE - 20_000_000);
        LogDesk.eventually(() -> alice.get(log, "Range", behind).statusCode() == 206);
        var viewer = alice.follow(log + "?offset=" + (LINE - 20_000_000));
        assertThat(sum.get()).isEqualTo(LINE + "needle\nafter\n".length());
        assertThat(viewer.code()).isEqualTo(1000);
        assertThat(viewer.fault).isNull();
        assertThat(viewer.received()).hasSize(20_000_013);
        assertThat(alice.get(log, "Range", "bytes=" + (LINE - 2) + "-" + (LINE + 5))
                        .body())
                .isEqualTo("xxneedle".getBytes(StandardCharsets.UTF_8));
        for (String query : List.of("?grep=xneedle", "?grep=x%7B3%7Dneedle&regex=1", "?grep=NEEDLE&case=0")) {
            List<JsonNode> found = lines(log + query);
            assertThat(found.getFirst().path("offset").asLong()).as(query).isBetween(LINE - 3L, (long) LINE);
            assertThat(found.getFirst().path("cut").asBoolean()).isTrue();
            assertThat(found.getLast().path("scanned").asLong()).isGreaterThanOrEqualTo(LINE);
        }
        assertThat(alice.json(log + "/lines?line=2").path("offset").asLong()).isEqualTo(LINE + 7L);
        assertThat(alice.json(log + "/lines?offset=" + LINE / 2).path("line").asLong())
                .isEqualTo(1);
    }

    private static long counted(String path) {
        try (InputStream stream = alice.stream(path)) {
            byte[] piece = new byte[1 << 16];
            long sum = 0;
            for (int count = stream.read(piece); count >= 0; count = stream.read(piece)) {
                sum += count;
            }
            return sum;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<JsonNode> lines(String path) throws IOException {
        var answer = alice.get(path);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : new String(answer.body(), StandardCharsets.UTF_8).split("\n")) {
            lines.add(LogDesk.JSON.readTree(line));
        }
        return lines;
    }

    @Test
    void who_follows_with_curl_waits_through_a_silence_longer_than_any_idle_limit() throws Exception {
        String log = alice.submit(
                "silent", "echo one; while [ ! -e /userhome/speak ]; do sleep 0.05; done; echo two; sleep 1");
        alice.running("silent");
        try (var reader =
                new BufferedReader(new InputStreamReader(alice.stream(log + "?follow=1"), StandardCharsets.UTF_8))) {
            assertThat(reader.readLine()).isEqualTo("one");
            long quiet = System.nanoTime();
            // what is idle otherwise is closed within this time
            LogDesk.eventually(() -> System.nanoTime() - quiet > 4_000_000_000L * IDLE_SECONDS);
            Files.writeString(alice.home().resolve("speak"), "");
            assertThat(reader.readLine()).isEqualTo("two");
            assertThat(reader.readLine()).isNull();
        }
    }

    @Test
    void a_viewer_who_reconnects_a_thousand_times_has_every_byte_once_and_leaves_nothing_behind() throws Exception {
        String log = alice.submit(
                "again",
                "i=0; while [ ! -e /userhome/enough ]; do i=$((i+1)); echo \"line $i\"; sleep 0.002; done; exit 0");
        alice.running("again");
        var received = new ByteArrayOutputStream();
        for (int time = 0; time < 1_000; time++) {
            var viewer = alice.follow(log + "?offset=" + received.size());
            int wanted = ThreadLocalRandom.current().nextInt(3);
            LogDesk.eventually(() -> viewer.received().length >= wanted);
            viewer.abort();
            assertThat(viewer.fault).isNull();
            received.writeBytes(viewer.received());
        }
        Files.writeString(alice.home().resolve("enough"), "");
        var last = alice.follow(log + "?offset=" + received.size());
        assertThat(last.code()).isEqualTo(1000);
        received.writeBytes(last.received());
        assertThat(received.toByteArray()).isEqualTo(alice.get(log).body());
        LogDesk.eventually(() -> number("sluice_logs_followers{kind=\"socket\",}") == 0);
        LogDesk.eventually(() -> number("sluice_web_streams") == 0 && number("sluice_logs_tails") == 0);
    }

    private static double number(String metric) throws IOException {
        String all = new String(alice.get("/metrics").body(), StandardCharsets.UTF_8);
        Matcher line =
                Pattern.compile("(?m)^" + Pattern.quote(metric) + " (\\S+)$").matcher(all);
        assertThat(line.find()).as(metric).isTrue();
        return Double.parseDouble(line.group(1));
    }

    @Test
    void of_500_sockets_of_one_user_as_many_open_as_are_allowed_and_the_others_are_told_why() throws Exception {
        var bob = desk.client("bob", false);
        String log = bob.submit("held", "echo begun; sleep 600");
        bob.running("held");
        var opened = new ConcurrentLinkedQueue<LogDesk.Viewer>();
        var refused = new ConcurrentLinkedQueue<Integer>();
        try (var many = Executors.newFixedThreadPool(20)) {
            for (int number = 0; number < 500; number++) {
                many.execute(() -> {
                    try {
                        opened.add(bob.follow(log));
                    } catch (RuntimeException e) {
                        refused.add(e.getCause() instanceof LogSocket.Refused told ? told.status() : 0);
                    }
                });
            }
        }
        assertThat(opened).hasSize(60);
        assertThat(refused).hasSize(440).containsOnly(429);
        var follow = bob.get(log + "?follow=1");
        assertThat(follow.statusCode()).isEqualTo(429);
        assertThat(follow.headers().firstValue("Retry-After")).isPresent();
        assertThat(new String(follow.body(), StandardCharsets.UTF_8))
                .contains("You have 60 live connections open, which is the limit. Close some pages and try again.");
        assertThat(alice.get(log).statusCode())
                .as("others are told nothing of it")
                .isEqualTo(404);
        opened.forEach(LogDesk.Viewer::abort);
        LogDesk.eventually(() -> bob.get(log + "?tail=1").statusCode() == 200);
        bob.stop("held");
    }

    @Test
    void one_users_searches_do_not_keep_another_user_waiting() throws Exception {
        String heavy = alice.printed("heavy", "a".repeat(3 << 20).getBytes(StandardCharsets.UTF_8));
        byte[] many = "a line of a log that is found\n".repeat(200_000).getBytes(StandardCharsets.UTF_8);
        String large = alice.printed("large", many);
        var carol = desk.client("carol", false);
        String hers = carol.printed("hers", many);
        List<InputStream> open = new ArrayList<>();
        try {
            // two whose expression takes minutes, two who do not read what is found
            for (String query : List.of(
                    heavy + "?regex=1&grep=(a%3F)%7B99%7D(a%3F)%7B99%7D(a%3F)%7B99%7Db",
                    heavy + "?regex=1&grep=(a%3F)%7B99%7D(a%3F)%7B99%7D(a%3F)%7B98%7Dc",
                    large + "?grep=found&limit=10000&context=10",
                    large + "?grep=line&limit=10000&context=10")) {
                open.add(alice.stream(query));
            }
            LogDesk.eventually(() -> number("sluice_logs_file_calls") >= 3);
            assertThat(alice.get(large + "?grep=a").statusCode())
                    .as("the fifth")
                    .isEqualTo(429);
            assertThat(alice.get(large + "/lines?line=5").statusCode()).isEqualTo(429);
            for (int time = 0; time < 5; time++) {
                long began = System.nanoTime();
                var answer = carol.get(hers + "?grep=nowhere");
                assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("\"upTo\":" + many.length);
                assertThat(System.nanoTime() - began).isLessThan(4_000_000_000L);
            }
        } finally {
            for (InputStream each : open) {
                each.close();
            }
        }
        // what nobody waits for any more ends at once
        LogDesk.eventually(() -> alice.get(large + "/lines?line=5").statusCode() == 200);
        LogDesk.eventually(() -> number("sluice_logs_file_calls") == 0);
    }

    @Test
    void what_is_printed_last_arrives_however_soon_the_task_ends() throws Exception {
        for (int round = 0; round < 5; round++) {
            String name = "quick" + round;
            String log = alice.submit(
                    name,
                    "echo begun; while [ ! -e /userhome/" + name
                            + " ]; do sleep 0.01; done; exec head -c 70001 /dev/zero");
            alice.running(name);
            var viewer = alice.follow(log);
            try (InputStream stream = alice.stream(log + "?follow=1")) {
                LogDesk.eventually(() -> viewer.received().length == 6);
                Files.writeString(alice.home().resolve(name), "");
                assertThat(stream.readAllBytes()).hasSize(70_007);
            }
            assertThat(viewer.code()).isEqualTo(1000);
            assertThat(viewer.received()).hasSize(70_007);
            assertThat(viewer.told.getLast().path("size").asInt()).isEqualTo(70_007);
        }
    }

    @Test
    void nothing_is_added_to_a_log_after_its_end_was_told_though_children_outlive_their_parent() throws Exception {
        String log = alice.submit(
                "orphans",
                "for i in 1 2 3 4 5; do (for j in $(seq 60); do echo \"child $i $j\"; sleep 0.01; done) & done; echo parent");
        var viewer = new LogDesk.Viewer[1];
        alice.running("orphans");
        viewer[0] = alice.follow(log);
        assertThat(viewer[0].code()).isEqualTo(1000);
        long size = viewer[0].told.getLast().path("size").asLong();
        long told = System.nanoTime();
        LogDesk.eventually(() -> System.nanoTime() - told > 1_500_000_000L);
        assertThat(alice.get(log).body()).hasSize((int) size).isEqualTo(viewer[0].received());
        assertThat(new String(viewer[0].received(), StandardCharsets.UTF_8)).contains("parent\n");
    }

    @ParameterizedTest
    @CsvSource({"(a%2B)%2B%24", "(a%7Caa)%2Bb", "(.*a)%7B12%7Db", "(x%2Bx%2B)%2By", "%5E(([a-z])%2B.)%2B%5BA-Z%5D%24"})
    void expressions_that_explode_elsewhere_are_answered_in_time(String expression) throws Exception {
        String name = "explode" + Integer.toHexString(expression.hashCode());
        String log = alice.printed(name, ("a".repeat(5_000) + "!\n").repeat(40).getBytes(StandardCharsets.UTF_8));
        long began = System.nanoTime();
        List<JsonNode> found = lines(log + "?regex=1&grep=" + expression);
        assertThat(found.getLast().path("why").asText()).isEqualTo("end");
        assertThat(System.nanoTime() - began).isLessThan(20_000_000_000L);
    }

    @ParameterizedTest
    @CsvSource({
        "?offset=-1, 400",
        "?offset=9223372036854775808, 400",
        "?offset=18446744073709551616, 400",
        "?offset=999999999999999999, 416",
        "?offset=22, 416",
        "?offset=21, 200",
        "?follow=1&offset=-1, 400",
        "?follow=1&offset=9223372036854775808, 400",
        "?follow=1&offset=22, 416",
        "?follow=1&offset=3, 200",
        "?tail=-1, 400",
        "?tail=9223372036854775808, 400",
        "?tail=999999999999999999, 200",
        "?offset=0&length=-1, 400",
        "?offset=0&length=999999999999999999, 200",
        "?grep=a&offset=-1, 400",
        "?grep=a&offset=9223372036854775808, 400",
        "?grep=a&until=-1, 400",
        "?grep=a&offset=999999999999999999, 200",
        "?grep=a&offset=3, 200",
        "/times?offset=-1, 400",
        "/times?offset=9223372036854775808, 400",
        "/times?offset=999999999999999999, 200",
        "/times?points=-1, 400",
        "/times?points=999999999999999999, 200",
        "/times?at=-1, 400",
        "/times?from=9223372036854775808, 400",
        "/lines?offset=-1, 400",
        "/lines?offset=9223372036854775808, 400",
        "/lines?offset=999999999999999999, 200",
        "/lines?line=-1, 400",
        "/lines?line=0, 400",
        "/lines?line=999999999999999999, 200"
    })
    void numbers_out_of_place_are_answered_at_every_door(String door, int status) throws IOException {
        String log = odd();
        var answer = alice.get(log + door);
        assertThat(answer.statusCode()).isEqualTo(status);
        if (status >= 400) {
            assertThat(LogDesk.JSON.readTree(answer.body()).path("message").asText())
                    .isNotEmpty();
        }
    }

    @Test
    void sockets_begin_within_a_character_and_at_the_end_but_nowhere_else() throws Exception {
        String log = odd();
        byte[] bytes = alice.get(log).body();
        for (int offset = 0; offset <= bytes.length; offset++) {
            var viewer = alice.follow(log + "?offset=" + offset);
            assertThat(viewer.code()).isEqualTo(1000);
            assertThat(viewer.received()).isEqualTo(Arrays.copyOfRange(bytes, offset, bytes.length));
        }
        assertThat(alice.follow(log + "?offset=" + (bytes.length + 1)).code()).isEqualTo(4416);
        assertThat(alice.follow(log + "?offset=999999999999999999").code()).isEqualTo(4416);
        for (String wrong : List.of(
                "offset=-1", "offset=9223372036854775808", "tail=-1", "offset=", "window=1", "jump=1", "from=now")) {
            assertThat(alice.refusal(log + "?" + wrong)).as(wrong).isEqualTo(400);
        }
    }

    /** 21 bytes, some of them parts of characters. */
    private static synchronized String odd() throws IOException {
        String log = alice.path("odd") + "/log";
        return alice.get(log).statusCode() == 200
                ? log
                : alice.printed("odd", "Gruß, 你好, wie 1\n".getBytes(StandardCharsets.UTF_8));
    }
}
