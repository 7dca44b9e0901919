package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.identity.Crowd;
import io.sluice.logs.Logs;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may read a log, for how long, and that it comes over TLS as it does without. */
@Timeout(120)
class LogAccessIT {
    @TempDir
    private static Path folder;

    private static LogDesk desk;
    private static LogDesk.Client owner;
    private static Crowd.Person person;
    /** Of a job that prints and goes on. */
    private static String log;

    @BeforeAll
    static void start() throws Exception {
        desk = new LogDesk(
                folder,
                Logs.Settings.of(folder),
                UnaryOperator.identity(),
                // over HTTP/2 a WebSocket is opened as over HTTP/1.1
                HttpClient.newBuilder().sslContext(Trusting.context()),
                Trusting.FLAGS);
        person = desk.crowd.person("ann", false);
        owner = desk.client(person);
        log = owner.submit("going", "echo begun; sleep 600");
        owner.running("going");
    }

    @AfterAll
    static void stop() throws IOException {
        owner.stop("going");
        owner.ended("going");
        desk.close();
    }

    @Test
    void over_tls_a_log_comes_as_it_was_printed_also_to_one_who_stops_reading_for_a_while() throws Exception {
        byte[] bytes = new byte[12 << 20];
        new Random(7).nextBytes(bytes);
        Files.write(owner.home().resolve("much"), bytes);
        String much = owner.submit("much", "cat /userhome/much; sleep 1; echo over");
        owner.running("much");
        byte[] received = owner.receivedDespiteAStall(much, bytes);
        try (InputStream stream = owner.stream(much + "?follow=1")) {
            assertThat(stream.readAllBytes()).isEqualTo(received);
        }
        assertThat(owner.get(much, "Range", "bytes=1000000-1000099").body())
                .isEqualTo(Arrays.copyOfRange(bytes, 1_000_000, 1_000_100));
    }

    @Test
    void over_http_2_a_reader_who_goes_is_forgotten_and_others_on_the_connection_read_on() throws Exception {
        try (InputStream stays = owner.stream(log + "?follow=1")) {
            assertThat(stays.readNBytes(6)).isEqualTo("begun\n".getBytes(StandardCharsets.UTF_8));
            InputStream goes = owner.stream(log + "?follow=1");
            assertThat(goes.readNBytes(6)).hasSize(6);
            LogDesk.eventually(() -> metrics().contains("sluice_logs_followers{kind=\"answer\",} 2.0"));
            goes.close();
            LogDesk.eventually(() -> metrics().contains("sluice_logs_followers{kind=\"answer\",} 1.0"));
            assertThat(stays.available()).isZero();
        }
        LogDesk.eventually(() -> metrics().contains("sluice_logs_followers{kind=\"answer\",} 0.0"));
        LogDesk.eventually(() -> metrics().contains("sluice_web_streams 0.0"));
    }

    private static String metrics() throws IOException {
        return new String(owner.get("/metrics").body(), StandardCharsets.UTF_8);
    }

    /** What an open socket and an open answer do when their reader may no longer be there. */
    private void cut(LogDesk.Client reader, LogDesk.Condition end) throws Exception {
        var viewer = reader.follow(log);
        LogDesk.eventually(() -> viewer.received().length == 6);
        try (InputStream stream = reader.stream(log + "?follow=1")) {
            assertThat(stream.readNBytes(6)).isEqualTo("begun\n".getBytes(StandardCharsets.UTF_8));
            assertThat(end.holds()).isTrue();
            assertThat(viewer.code()).isEqualTo(4401);
            assertThatThrownBy(stream::readAllBytes).isInstanceOf(IOException.class);
        }
        assertThat(reader.get(log).statusCode()).isIn(401, 403);
        assertThat(reader.refusal(log)).isIn(401, 403);
        assertThat(owner.get(log).statusCode()).as("others read on").isEqualTo(200);
    }

    @Test
    void signing_out_ends_what_is_followed() throws Exception {
        var leaving = desk.client(person);
        cut(
                leaving,
                () -> leaving.send(leaving.request("/api/v2/authn/basic/logout").DELETE())
                                .statusCode()
                        == 200);
    }

    @Test
    void disabling_somebody_ends_what_they_follow() throws Exception {
        var boss = desk.crowd.person("boss", true);
        cut(desk.client(boss), () -> {
            desk.crowd.disable(boss);
            return true;
        });
    }

    @Test
    void revoking_a_token_ends_what_its_program_follows() throws Exception {
        String token = desk.crowd.token(person, "jobs:read");
        cut(
                owner.with(token),
                () -> owner.send(owner.request("/api/v2/tokens/" + token).DELETE())
                                .statusCode()
                        == 200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "?follow=1", "?grep=a", "?tail=1", ".gz", "s", "/times", "/lines?line=1", "/lines?offset=0"})
    void a_program_reads_logs_with_the_right_to_read_jobs_and_with_no_other(String door) throws IOException {
        var files = owner.with(desk.crowd.token(person, "files:read", "files:write", "jobs:write"));
        var answer = files.get(log + door);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("jobs:read");
        assertThat(files.refusal(log)).isEqualTo(403);
        var jobs = owner.with(desk.crowd.token(person, "jobs:read"));
        var head = jobs.send(jobs.request(log + door).method("HEAD", BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(jobs.refusal(log)).isEqualTo(101);
        assertThat(List.of(401, 404))
                .contains(desk.client("other" + door.hashCode(), false)
                        .with(desk.crowd.token(desk.crowd.person("third" + door.hashCode(), false), "jobs:read"))
                        .get(log + door)
                        .statusCode());
    }
}
