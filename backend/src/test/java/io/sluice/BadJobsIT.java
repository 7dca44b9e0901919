package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What people send by mistake or on purpose, to a real gateway by HTTP: each ends in a clear state, with a reason. */
class BadJobsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final int TOO_LARGE = 413;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Household house;

    @BeforeAll
    static void start() throws IOException {
        house = new Household(folder);
        house.start("");
    }

    @AfterAll
    static void stop() throws IOException {
        house.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "retryCnt: 3                     | retryCnt       | jobRetryCount",
                "jobRetryCount: many             | jobRetryCount  | number",
                "extras: {gangAllocation: 7}     | gangAllocation | true",
                "taskRoles: {}                   | taskRoles      | taskRoles"
            })
    void a_wrong_field_is_refused_with_its_name_and_what_is_allowed(String line, String field, String allowed)
            throws IOException {
        var text = line.startsWith("taskRoles")
                ? job("wrong").replaceAll("(?s)taskRoles:.*", "") + line
                : job("wrong") + line;
        var answer = house.submitText(text + "\n", "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(message(answer)).contains(field).contains(allowed).containsPattern("line \\d+");
    }

    @Test
    void ten_megabytes_are_refused_before_they_are_read() throws IOException {
        var answer = house.submitText(job("large") + "# " + "x".repeat(10 << 20) + "\n", "");
        assertThat(answer.statusCode()).as(answer.body()).isIn(400, TOO_LARGE);
        assertThat(message(answer)).contains("1048576 bytes");
    }

    @Test
    void a_document_that_grows_when_it_is_read_is_refused() throws IOException {
        var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int level = 1; level < 10; level++) {
            var before = "*a" + (level - 1);
            bomb.append("a%d: &a%d [%s]\n"
                    .formatted(level, level, String.join(", ", java.util.Collections.nCopies(10, before))));
        }
        var answer = house.submitText(bomb + job("bomb"), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(message(answer)).isNotEmpty();
    }

    @Test
    void a_name_is_taken_once_by_each_user_and_anothers_job_does_not_exist() throws IOException {
        assertThat(house.submitText(job("taken"), "").statusCode()).isEqualTo(202);
        var again = house.submitText(job("taken"), "");
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(code(again)).isEqualTo("ConflictJobError");
        try (var other = house.as("bob")) {
            assertThat(other.get("/api/v2/jobs/admin~taken").path("code").asText())
                    .isEqualTo("NoJobError");
            assertThat(other.stop("taken").statusCode()).isEqualTo(404);
            assertThat(other.submitText(job("taken"), "").statusCode()).isEqualTo(202);
            var own = other.get("/api/v2/jobs/bob~taken").path("jobStatus");
            assertThat(own.path("state").asText()).isEqualTo("FAILED");
            assertThat(own.path("appExitDiagnostics").asText()).contains("--allow-shared-process-engine");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"instances: 5000, cpu: 1, memoryMB: 10", "instances: 1, cpu: 1, memoryMB: 100000000"})
    void what_can_never_run_here_waits_says_so_and_can_be_stopped(String size) throws Exception {
        String name = size.contains("5000") ? "thousands" : "huge";
        assertThat(house.submitText(job(name, size, "true"), "").statusCode()).isEqualTo(202);
        Household.eventually(() -> !waiting(name).isMissingNode());
        assertThat(waiting(name).path("why").asText()).as("%s", waiting(name)).startsWith("NEVER");
        assertThat(house.state(name)).isEqualTo("WAITING");
        assertThat(house.stop(name).statusCode()).isEqualTo(202);
        assertThat(house.state(name)).isEqualTo("STOPPED");
    }

    private static JsonNode waiting(String name) throws IOException {
        return house.get("/api/v2/jobs/admin~" + name).path("jobStatus").path("waiting");
    }

    @Test
    void a_command_that_does_not_exist_fails_and_is_named() throws Exception {
        var status = ended("no-such", "trian.py --epochs 3");
        assertThat(status.path("state").asText()).isEqualTo("FAILED");
        assertThat(status.path("appExitDiagnostics").asText())
                .containsIgnoringCase("command")
                .contains("trian.py");
    }

    @Test
    void a_job_of_no_time_succeeds() throws Exception {
        assertThat(ended("nothing", "true").path("state").asText()).isEqualTo("SUCCEEDED");
    }

    @Test
    void none_of_a_thousand_children_is_left_when_their_parent_has_ended() throws Exception {
        var status = ended(
                "crowd",
                "instances: 1, cpu: 1, memoryMB: 2000",
                "for i in $(seq 1000); do sleep 86401 & done; echo born");
        assertThat(status.path("state").asText()).as("%s", status).isEqualTo("SUCCEEDED");
        Household.eventually(() -> alive("sleep\0" + "86401") == 0);
    }

    @Test
    void a_job_that_ignores_the_request_to_stop_is_ended_with_all_its_grandchildren() throws Exception {
        var deaf =
                "trap '' TERM; (setsid bash -c \"trap '' TERM; sleep 86402 & sleep 86402\" &); while :; do sleep 86403; done";
        assertThat(house.submitText(job("deaf", SMALL, deaf), "").statusCode()).isEqualTo(202);
        Household.eventually(() -> alive("sleep\0" + "86402") == 2 && alive("sleep\0" + "86403") == 1);
        assertThat(house.stop("deaf").statusCode()).isEqualTo(202);
        assertThat(house.state("deaf")).isEqualTo("STOPPING");
        house.ends(LIMIT, "deaf");
        assertThat(house.state("deaf")).isEqualTo("STOPPED");
        assertThat(alive("sleep\0" + "86402") + alive("sleep\0" + "86403")).isZero();
    }

    @Test
    void an_attempt_that_runs_for_longer_than_it_may_is_ended_and_not_tried_again() throws Exception {
        String text =
                job("overlong", SMALL, "sleep 86404") + "jobRetryCount: 3\nextras: {sluice: {maxRunSeconds: 4}}\n";
        assertThat(house.submitText(text, "").statusCode()).isEqualTo(202);
        Household.eventually(() -> house.page("/jobs/admin~overlong", "en").contains("Time left"));
        assertThat(house.page("/jobs/admin~overlong", "zh")).contains("最长运行时间", "剩余时间");
        house.ends(LIMIT, "overlong");
        var status = house.get("/api/v2/jobs/admin~overlong").path("jobStatus");
        assertThat(status.path("state").asText()).isEqualTo("FAILED");
        assertThat(status.path("appExitCode").asInt()).isEqualTo(-1004);
        assertThat(status.path("retries").asInt()).isZero();
        assertThat(status.path("appExitDiagnostics").asText()).contains("longest time that it was allowed");
        assertThat(alive("sleep\0" + "86404")).isZero();
        assertThat(house.page("/jobs/admin~overlong", "en"))
                .contains("Longest run")
                .doesNotContain("Time left");
    }

    @Test
    void who_asks_for_the_gateways_own_port_fails_and_is_told_so() throws Exception {
        int own = URI.create(house.address()).getPort();
        var answer = house.submitText("""
                {"jobName": "own-port", "image": "none", "taskRoles": [{"name": "main", "cpuNumber": 1, "memoryMB": 50,
                 "command": "true", "portList": [{"label": "web", "beginAt": %d}]}]}
                """.formatted(own), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        house.ends(LIMIT, "own-port");
        var status = house.get("/api/v2/jobs/admin~own-port").path("jobStatus");
        assertThat(status.path("state").asText()).isEqualTo("FAILED");
        assertThat(status.path("retries").asInt()).isZero();
        assertThat(status.path("appExitDiagnostics").asText())
                .contains("port " + own)
                .contains("gateway's own");
    }

    private static final String SMALL = "instances: 1, cpu: 1, memoryMB: 50";

    private static JsonNode ended(String name, String command) throws Exception {
        return ended(name, SMALL, command);
    }

    private static JsonNode ended(String name, String size, String command) throws Exception {
        var answer = house.submitText(job(name, size, command), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        house.ends(LIMIT, name);
        return house.get("/api/v2/jobs/admin~" + name).path("jobStatus");
    }

    private static String job(String name) {
        return job(name, SMALL, "true");
    }

    private static String job(String name, String size, String command) {
        int cut = size.indexOf(',');
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  main:
                    %s
                    dockerImage: image
                    resourcePerInstance: {%s, gpu: 0}
                    commands:
                      - |-
                        %s
                """.formatted(name, size.substring(0, cut), size.substring(cut + 1), command);
    }

    private static String message(HttpResponse<String> answer) throws IOException {
        return JSON.readTree(answer.body()).path("message").asText();
    }

    private static String code(HttpResponse<String> answer) throws IOException {
        return JSON.readTree(answer.body()).path("code").asText();
    }

    /** Processes of this machine that were started with these words. */
    private static long alive(String words) throws IOException {
        long found = 0;
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path each : all) {
                found += commandLine(each).startsWith(words) ? 1 : 0;
            }
        }
        return found;
    }

    private static String commandLine(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8);
        } catch (IOException gone) {
            return "";
        }
    }
}
