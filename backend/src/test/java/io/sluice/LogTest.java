package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs as clients see them, of real tasks. */
@Timeout(120)
class LogTest {
    @TempDir
    private static Path folder;

    private static LogDesk desk;
    private static LogDesk.Client alice;
    /** The path of the log of a job that has printed {@link #TEXT}. */
    private static String log;

    private static final String TEXT = "first line\nein Gruß, 你好\nthe third\nlast, without an end";
    private static final byte[] BYTES = TEXT.getBytes(StandardCharsets.UTF_8);

    @BeforeAll
    static void start() throws IOException {
        desk = new LogDesk(folder);
        alice = desk.client("alice", false);
        log = alice.printed("hello", BYTES);
    }

    @AfterAll
    static void stop() {
        desk.close();
    }

    @Test
    void a_log_is_what_the_task_printed_byte_by_byte() throws IOException {
        var answer = alice.get(log);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(BYTES);
        assertThat(answer.headers().firstValue("X-Log-Size")).contains("" + BYTES.length);
        assertThat(answer.headers().firstValue("X-Log-State")).contains("ended");
        assertThat(answer.headers().firstValue("Content-Length")).contains("" + BYTES.length);
        assertThat(alice.get("/rest-server" + log).body()).isEqualTo(BYTES);
        var head = alice.send(alice.request(log).method("HEAD", BodyPublishers.noBody()));
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("Content-Length")).contains("" + BYTES.length);
        assertThat(head.headers().firstValue("Accept-Ranges")).contains("bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-4, 206, 0, 5",
        "bytes=6-6, 206, 6, 7",
        "bytes=18-, 206, 18, -1",
        "bytes=-3, 206, -3, -1",
        "bytes=-1, 206, -1, -1",
        "bytes=-100000, 206, 0, -1",
        "bytes=3-100000, 206, 3, -1",
        "bytes=0-9223372036854775808, 206, 0, -1",
        "bytes=5-2, 200, 0, -1",
        "bytes=a-b, 200, 0, -1",
        "'bytes=0-1,3-4', 200, 0, -1",
        "lines=0-1, 200, 0, -1"
    })
    void a_range_is_answered_with_its_bytes(String range, int status, int from, int to) throws IOException {
        int begin = from < 0 ? BYTES.length + from : from;
        int end = to < 0 ? BYTES.length : to;
        var answer = alice.get(log, "Range", range);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(BYTES, begin, end));
        if (status == 206) {
            assertThat(answer.headers().firstValue("Content-Range"))
                    .contains("bytes " + begin + "-" + (end - 1) + "/" + BYTES.length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=1000-", "bytes=9223372036854775807-", "bytes=9223372036854775808-", "bytes=-0"})
    void a_range_past_the_end_says_where_the_end_is(String range) throws IOException {
        var answer = alice.get(log, "Range", range);
        assertThat(answer.statusCode()).isEqualTo(416);
        assertThat(answer.headers().firstValue("Content-Range")).contains("bytes */" + BYTES.length);
    }

    @ParameterizedTest
    @CsvSource({
        "offset=-1, 400",
        "offset=9223372036854775808, 400",
        "offset=, 400",
        "offset=1e3, 400",
        "offset=1000, 416",
        "offset=999999999999999999, 416",
        "tail=-1, 400",
        "from=yesterday, 400",
        "offset=1&tail=1, 400",
        "follow=maybe, 400",
        "grep=, 400",
        "grep=(&regex=1, 400",
        "grep=a(?%3D)&regex=1, 400",
        "grep=((a{1000}){1000}){1000}&regex=1, 400",
        "grep=a&limit=0, 400",
        "grep=a&limit=10001, 400"
    })
    void what_can_not_be_answered_is_said(String query, int status) throws IOException {
        var answer = alice.get(log + "?" + query.replace("{", "%7B").replace("}", "%7D"));
        assertThat(answer.statusCode()).isEqualTo(status);
        JsonNode problem = LogDesk.JSON.readTree(answer.body());
        assertThat(problem.path("message").asText()).isNotEmpty();
    }

    @Test
    void an_offset_may_lie_within_a_character_and_at_the_end() throws IOException {
        for (int offset = 0; offset <= BYTES.length; offset++) {
            assertThat(alice.get(log + "?offset=" + offset).body())
                    .isEqualTo(Arrays.copyOfRange(BYTES, offset, BYTES.length));
        }
        assertThat(alice.get(log + "?offset=3&length=4").body()).isEqualTo(Arrays.copyOfRange(BYTES, 3, 7));
        assertThat(alice.get(log + "?tail=7").body())
                .isEqualTo(Arrays.copyOfRange(BYTES, BYTES.length - 7, BYTES.length));
    }

    @Test
    void what_has_not_changed_is_not_sent_again_and_what_has_is_sent_whole() throws IOException {
        String tag = alice.get(log).headers().firstValue("ETag").orElseThrow();
        assertThat(alice.get(log, "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(alice.get(log, "Range", "bytes=1-2", "If-Range", tag).statusCode())
                .isEqualTo(206);
        assertThat(alice.get(log, "Range", "bytes=1-2", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_log_is_downloaded_compressed() throws IOException {
        var answer = alice.get(log + ".gz");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/gzip");
        assertThat(answer.headers().firstValue("Content-Disposition").orElseThrow())
                .contains("hello-0-main-0-0.log.gz");
        try (var plain = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
            assertThat(plain.readAllBytes()).isEqualTo(BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tail-mode", "tailMode"})
    void openpais_list_of_logs_leads_to_them(String tail) throws IOException {
        JsonNode whole = alice.json(alice.path("hello") + "/logs");
        assertThat(whole.path("locations").path(0).path("name").asText()).isEqualTo("all");
        assertThat(alice.get(whole.path("locations").path(0).path("uri").asText())
                        .body())
                .isEqualTo(BYTES);
        // by these names OpenPAI's clients look for them
        assertThat(whole.path("locations").findValuesAsText("name")).containsExactly("all", "stdout", "stderr");
        for (JsonNode location : whole.path("locations")) {
            assertThat(alice.get(location.path("uri").asText()).body()).isEqualTo(BYTES);
        }
        JsonNode end = alice.json(alice.path("hello") + "/logs?" + tail + "=true");
        String uri = end.path("locations").path(0).path("uri").asText();
        assertThat(uri).endsWith("?tail=16384");
        assertThat(alice.get(uri).body()).isEqualTo(BYTES);
    }

    @Test
    void whoever_follows_with_curl_sees_each_line_when_it_is_printed() throws IOException {
        String growing = alice.submit("curl", "echo one; while [ ! -e /userhome/go ]; do sleep 0.05; done; echo two");
        alice.running("curl");
        var answer = alice.sent(alice.request(growing + "?follow=1"), BodyHandlers.ofInputStream());
        try (var lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEqualTo("one");
            Files.writeString(alice.home().resolve("go"), "");
            assertThat(lines.readLine()).isEqualTo("two");
            assertThat(lines.readLine()).isNull();
        }
    }

    @Test
    void a_socket_gets_what_is_stored_and_what_comes_as_one_sequence_and_then_the_end() throws Exception {
        String growing = alice.submit("socket", "for i in $(seq 200); do echo \"line $i\"; sleep 0.005; done; exit 3");
        alice.running("socket");
        var whole = alice.follow(growing);
        assertThat(whole.code()).isEqualTo(1000);
        assertThat(whole.fault).isNull();
        byte[] stored = alice.get(growing).body();
        assertThat(new String(stored, StandardCharsets.UTF_8).lines()).hasSize(200);
        assertThat(whole.received()).isEqualTo(stored);
        assertThat(whole.told.getFirst().path("type").asText()).isEqualTo("hello");
        assertThat(whole.told.getLast().path("type").asText()).isEqualTo("end");
        assertThat(whole.told.getLast().path("size").asInt()).isEqualTo(stored.length);
        assertThat(whole.told.getLast().path("exitCode").asInt()).isEqualTo(3);
        var late = alice.follow(growing + "?offset=17");
        assertThat(late.code()).isEqualTo(1000);
        assertThat(late.received()).isEqualTo(Arrays.copyOfRange(stored, 17, stored.length));
        var end = alice.follow(growing + "?tail=5");
        assertThat(end.code()).isEqualTo(1000);
        assertThat(end.received()).isEqualTo(Arrays.copyOfRange(stored, stored.length - 5, stored.length));
        var past = alice.follow(growing + "?offset=" + (stored.length + 1));
        assertThat(past.code()).isEqualTo(4416);
    }

    @Test
    void a_log_that_nobody_follows_any_more_is_closed() throws Exception {
        byte[] bytes = "only here".getBytes(StandardCharsets.UTF_8);
        var viewer = alice.follow(alice.printed("closed", bytes));
        assertThat(viewer.code()).isEqualTo(1000);
        Path file;
        try (var all = Files.walk(folder.resolve("jobs"))) {
            file = all.filter(each ->
                            each.toString().endsWith(".log") && each.toFile().length() == bytes.length)
                    .findFirst()
                    .orElseThrow();
        }
        LogDesk.eventually(() -> !open().contains(file));
    }

    private static List<Path> open() throws IOException {
        var files = new ArrayList<Path>();
        try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path each : all) {
                files.add(target(each));
            }
        }
        return files;
    }

    private static Path target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (NoSuchFileException closedMeanwhile) {
            return descriptor;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 125, 4_095, 4_096, 4_097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000})
    void lines_of_every_length_arrive_as_they_are(int length) throws Exception {
        byte[] bytes = new byte[length + 1];
        new Random(length).nextBytes(bytes);
        for (int at = 0; at < length; at++) {
            bytes[at] = bytes[at] == '\n' ? 0 : bytes[at];
        }
        bytes[length] = '\n';
        String odd = alice.printed("length-" + length, bytes);
        assertThat(alice.get(odd).body()).isEqualTo(bytes);
        var viewer = alice.follow(odd);
        assertThat(viewer.code()).isEqualTo(1000);
        assertThat(viewer.fault).isNull();
        assertThat(viewer.received()).isEqualTo(bytes);
    }

    @Test
    void a_viewer_who_stops_reading_gets_everything_once_he_reads_on_and_nobody_waits_for_him() throws Exception {
        byte[] bytes = new byte[20 << 20];
        new Random(1).nextBytes(bytes);
        Files.write(alice.home().resolve("much"), bytes);
        String growing = alice.submit("much", "cat /userhome/much; sleep 1; echo over");
        alice.running("much");
        alice.receivedDespiteAStall(growing, bytes);
    }

    @Test
    void a_viewer_with_a_window_is_sent_no_more_than_that_and_one_who_jumps_is_told_what_he_missed() throws Exception {
        byte[] bytes = "a line of a log, not very long\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        String large = alice.printed("window", bytes);
        var viewer = alice.follow(large + "?window=65536");
        LogDesk.eventually(() -> viewer.received().length >= 65_536);
        assertThat(viewer.received().length).isLessThan(3 * 65_536);
        viewer.say("{\"type\":\"read\",\"offset\":" + bytes.length + "}");
        LogDesk.eventually(() -> viewer.received().length >= 2 * 65_536);
        viewer.say("nonsense");
        assertThat(viewer.code()).isEqualTo(1003);
        var hasty = alice.follow(large + "?jump=100000");
        assertThat(hasty.code()).isEqualTo(1000);
        assertThat(hasty.fault).isNull();
        JsonNode skipped = hasty.told("skipped").getFirst();
        int to = skipped.path("to").asInt();
        assertThat(to).isGreaterThanOrEqualTo(bytes.length - 65_536);
        assertThat(hasty.received()).isEqualTo(Arrays.copyOfRange(bytes, to, bytes.length));
        assertThat(bytes[to - 1]).isEqualTo((byte) '\n');
    }

    @Test
    void output_of_a_process_whose_parent_has_ended_belongs_to_the_log() throws Exception {
        String growing = alice.submit("orphan", """
                sh -c '(sleep 0.4; echo from the orphan; : > /userhome/orphaned) & echo from its parent; exit 0'
                while [ ! -e /userhome/orphaned ]; do sleep 0.02; done
                (sleep 60; echo never) &
                echo over""");
        alice.ended("orphan");
        byte[] stored = alice.get(growing).body();
        assertThat(new String(stored, StandardCharsets.UTF_8)).isEqualTo("from its parent\nfrom the orphan\nover\n");
        var viewer = alice.follow(growing);
        assertThat(viewer.code()).isEqualTo(1000);
        assertThat(viewer.received()).isEqualTo(stored);
    }

    @Test
    void a_task_that_empties_its_own_log_leaves_a_gap_and_followers_get_what_it_prints_then() throws Exception {
        String growing = alice.submit("emptying", """
                echo what will be gone, and it is more than what follows at once
                while [ ! -e /userhome/empty ]; do sleep 0.02; done
                perl -e 'truncate(STDOUT, 0) or die'
                echo printed at once
                while [ ! -e /userhome/more ]; do sleep 0.02; done
                echo printed later""");
        alice.running("emptying");
        var viewer = alice.follow(growing);
        LogDesk.eventually(() -> viewer.received().length >= 60);
        Files.writeString(alice.home().resolve("empty"), "");
        LogDesk.eventually(() -> !viewer.told("gap").isEmpty());
        assertThat(viewer.told("gap").getFirst().path("reason").asText()).isEqualTo("emptied");
        Files.writeString(alice.home().resolve("more"), "");
        assertThat(viewer.code()).isEqualTo(1000);
        assertThat(viewer.fault).isNull();
        assertThat(new String(viewer.received(), StandardCharsets.UTF_8))
                .isEqualTo("what will be gone, and it is more than what follows at once\nprinted later\n");
        assertThat(new String(alice.get(growing).body(), StandardCharsets.UTF_8))
                .startsWith("printed at once\n\n[sluice: bytes 16 to ")
                .contains("are gone: the task emptied its output at 20")
                .endsWith("]\nprinted later\n");
        assertThat(alice.json(growing + "/lines?line=2").path("offset").asLong())
                .isEqualTo(16);
        assertThat(lines(growing + "?grep=printed")).hasSize(3);
    }

    @Test
    void a_viewer_who_stalls_while_a_log_grows_is_told_what_he_missed_and_can_load_it() throws Exception {
        byte[] bytes = new byte[24 << 20];
        new Random(2).nextBytes(bytes);
        Files.write(alice.home().resolve("flood"), bytes);
        String growing = alice.submit(
                "flooded",
                "echo begun; while [ ! -e /userhome/pour ]; do sleep 0.02; done; cat /userhome/flood; "
                        + "while [ ! -e /userhome/poured ]; do sleep 0.02; done; echo over");
        alice.running("flooded");
        var stalled = alice.follow(growing + "?jump=1000000", 3);
        LogDesk.eventually(() -> stalled.received().length > 0);
        Files.writeString(alice.home().resolve("pour"), "");
        LogDesk.eventually(() -> Long.parseLong(alice.get(growing + "?tail=0")
                        .headers()
                        .firstValue("X-Log-Size")
                        .orElseThrow())
                > bytes.length);
        assertThat(stalled.told("skipped")).isEmpty();
        stalled.readOn(Long.MAX_VALUE);
        LogDesk.eventually(() -> !stalled.told("skipped").isEmpty());
        Files.writeString(alice.home().resolve("poured"), "");
        assertThat(stalled.code()).isEqualTo(1000);
        assertThat(stalled.fault).isNull();
        byte[] whole = alice.get(growing).body();
        var got = new ByteArrayOutputStream();
        int taken = 0;
        for (JsonNode skipped : stalled.told("skipped")) {
            int from = skipped.path("from").asInt();
            int to = skipped.path("to").asInt();
            assertThat(from).isLessThan(to);
            int before = from - got.size();
            got.write(stalled.received(), taken, before);
            taken += before;
            byte[] missed = alice.get(growing, "Range", "bytes=" + from + "-" + (to - 1))
                    .body();
            assertThat(missed).isEqualTo(Arrays.copyOfRange(whole, from, to));
            got.writeBytes(missed);
        }
        got.write(stalled.received(), taken, stalled.received().length - taken);
        assertThat(got.toByteArray()).isEqualTo(whole);
    }

    @Test
    void a_search_tells_offsets_and_lines_as_it_finds() throws IOException {
        String coloured =
                alice.printed("coloured", "4:\t loss \u001b[32m1.1\u001b[0m\n".getBytes(StandardCharsets.UTF_8));
        List<JsonNode> found = lines(log + "?grep=th");
        assertThat(found).hasSize(4);
        assertThat(found.get(0).path("text").asText()).isEqualTo("the third");
        assertThat(found.get(0).path("offset").asInt()).isEqualTo(indexOf("the third"));
        assertThat(found.get(1).path("offset").asInt()).isEqualTo(indexOf("third"));
        assertThat(found.get(3).path("matches").asInt()).isEqualTo(3);
        List<JsonNode> context = lines(log + "?grep=GRUSS%7CGRU%C3%9F&regex=1&case=0&context=1");
        assertThat(context.getFirst().path("before").path(0).asText()).isEqualTo("first line");
        assertThat(context.getFirst().path("after").path(0).asText()).isEqualTo("the third");
        assertThat(lines(coloured + "?grep=loss%201.1")).hasSize(1);
        List<JsonNode> seen = lines(coloured + "?grep=loss%201.1&plain=1");
        assertThat(seen).hasSize(2);
        assertThat(seen.getFirst().path("offset").asInt()).isEqualTo(4);
        assertThat(seen.getFirst().path("length").asInt()).isEqualTo("loss \u001b[32m1.1".length());
        List<JsonNode> limited = lines(log + "?grep=i&limit=1");
        assertThat(limited.getLast().path("why").asText()).isEqualTo("limit");
        List<JsonNode> next =
                lines(log + "?grep=i&offset=" + limited.getLast().path("next").asInt());
        assertThat(next.getFirst().path("offset").asInt())
                .isGreaterThan(limited.getFirst().path("offset").asInt());
    }

    private static List<JsonNode> lines(String path) throws IOException {
        var answer = alice.get(path);
        assertThat(answer.statusCode()).isEqualTo(200);
        return new String(answer.body(), StandardCharsets.UTF_8)
                .lines()
                .map(line -> {
                    try {
                        return LogDesk.JSON.readTree(line);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
    }

    private static int indexOf(String text) {
        return TEXT.substring(0, TEXT.indexOf(text)).getBytes(StandardCharsets.UTF_8).length;
    }

    @Test
    void lines_and_times_lead_to_offsets_and_back() throws IOException {
        assertThat(alice.json(log + "/lines?line=3").path("offset").asInt()).isEqualTo(indexOf("the third"));
        assertThat(alice.json(log + "/lines?offset=" + indexOf("third"))
                        .path("line")
                        .asInt())
                .isEqualTo(3);
        assertThat(alice.json(log + "/lines?line=99").path("offset").asInt()).isEqualTo(BYTES.length);
        assertThat(alice.get(log + "/lines").statusCode()).isEqualTo(400);
        assertThat(alice.json(log + "/times").toString()).contains("points\":[[0,");
        JsonNode times = alice.json(log + "/times?offset=5");
        assertThat(times.path("until").asLong())
                .isGreaterThanOrEqualTo(times.path("from").asLong());
        assertThat(alice.json(log + "/times?at=" + (times.path("until").asLong() + 1))
                        .path("offset")
                        .asInt())
                .isEqualTo(BYTES.length);
        assertThat(alice.get(log + "?from=2000-01-01T00:00:00Z").body()).isEqualTo(BYTES);
    }

    @Test
    void a_strangers_log_does_not_exist() throws IOException {
        var mallory = desk.client("mallory", false);
        for (String path :
                List.of(log, log + ".gz", log + "s", log + "/times", log + "/lines?line=1", log + "?grep=a")) {
            var answer = mallory.get(path);
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("NoJobError");
        }
        assertThat(mallory.refusal(log)).isEqualTo(404);
        assertThat(desk.client("nobody", false).with("forged").refusal(log)).isEqualTo(401);
        assertThat(desk.client("boss", true).get(log).body()).isEqualTo(BYTES);
    }

    @Test
    void a_user_may_hold_so_many_sockets_and_is_told_when_there_are_too_many() throws Exception {
        var bob = desk.client("bob", false);
        String growing = bob.submit("long", "echo begun; sleep 300");
        bob.running("long");
        var viewers = new ArrayList<LogDesk.Viewer>();
        for (int number = 0; number < 60; number++) {
            viewers.add(bob.follow(growing));
        }
        assertThat(bob.refusal(growing)).isEqualTo(429);
        assertThat(alice.get(log).statusCode()).isEqualTo(200);
        viewers.forEach(LogDesk.Viewer::abort);
        LogDesk.eventually(() -> bob.refusal(growing) == 101);
        bob.stop("long");
    }

    @Test
    void the_last_screen_is_a_page_of_its_own() throws IOException {
        var answer = alice.get("/jobs/alice~hello/panels/log");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .contains("ein Gruß, 你好", "last, without an end", log);
    }
}
