package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What devices and tasks do, from a real task on simulated devices to the interface and the pages. */
class TelemetryTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String JOB = """
            {"jobName": "train", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": 2, "cpuNumber": 1, "memoryMB": 100,
             "command": "while true; do echo step; sleep 0.2; done"}]}
            """;

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Person owner;
    private static Person another;

    @BeforeAll
    static void start() {
        server = new TestServer(folder, "--simulate-devices", "4xAscend910B", "--allow-shared-process-engine");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        owner = crowd.person("owner", false);
        another = crowd.person("another", false);
        var submitted = as(owner)
                .send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(JOB))
                .await();
        assertThat(submitted.statusCode()).isEqualTo(202);
    }

    @AfterAll
    static void stop() {
        as(owner)
                .send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/owner~train/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        crowd.close();
        server.close();
    }

    private static Browser as(Person who) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(who));
        return browser;
    }

    private static String text(Person who, String path) {
        return as(who).send(HttpMethod.GET, path, null, null).await().bodyAsString();
    }

    private static JsonNode until(String path, Predicate<JsonNode> condition) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        JsonNode answer = JSON.readTree(text(owner, path));
        while (!condition.test(answer)) {
            assertThat(System.nanoTime()).as("too late: " + answer).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
            answer = JSON.readTree(text(owner, path));
        }
        return answer;
    }

    @Test
    void a_task_and_its_devices_have_lines_and_a_summary() throws Exception {
        JsonNode series = until(
                "/api/v2/jobs/owner~train/series?metrics=utilization,cpu",
                answer -> answer.path("lines").size() == 3
                        && answer.path("lines")
                                .get(1)
                                .path("values")
                                .valueStream()
                                .anyMatch(JsonNode::isNumber));
        assertThat(series.path("source").asText()).isEqualTo("memory");
        assertThat(series.path("lines").get(1).path("simulated").asBoolean()).isTrue();
        int points = series.path("lines").get(0).path("values").size();
        assertThat(series.path("lines")
                        .valueStream()
                        .map(line -> line.path("values").size()))
                .containsOnly(points);
        assertThat(text(owner, "/jobs/owner~train/panels/metrics?role=main&index=0"))
                .contains(
                        "<device-chart src=\"/api/v2/jobs/owner~train/series?attempt=0&amp;role=main&amp;index=0&amp;taskAttempt=0\"");
        JsonNode summary = until(
                "/api/v2/jobs/owner~train/summary",
                answer -> answer.path("devices").size() == 2);
        assertThat(summary.path("devices").get(0).path("type").asText()).isEqualTo("Ascend910B");
        assertThat(text(owner, "/api/v2/jobs/owner~train/series?metrics=evil")).contains("There is no metric evil");
        assertThat(text(owner, "/api/v2/jobs/owner~train/series?metrics=cpu,cpu"))
                .as("asked for twice")
                .contains("\"metric\":\"cpu\"")
                .contains("\"omittedTasks\":0");
        assertThat(text(owner, "/api/v2/jobs/owner~train/series?role=main&index=0&taskAttempt=0"))
                .contains("\"lines\":[{");
        assertThat(text(owner, "/api/v2/jobs/owner~train/series?role=main&index=0&taskAttempt=5"))
                .contains("\"lines\":[]");
        assertThat(text(owner, "/api/v2/jobs/owner~train/series?taskAttempt=0")).contains("say role and index");
        assertThat(text(another, "/api/v2/jobs/owner~train/series")).contains("NoJobError");
    }

    @Test
    void who_has_a_device_is_told_to_its_owner_only() throws Exception {
        JsonNode devices = until("/api/v2/devices", all -> all.valueStream().anyMatch(one -> one.has("job")));
        assertThat(devices.valueStream()
                        .filter(one -> one.path("state").asText().equals("held")))
                .hasSize(2);
        JsonNode others = JSON.readTree(text(another, "/api/v2/devices"));
        assertThat(others.valueStream().filter(one -> one.path("state").asText().equals("held")))
                .hasSize(2);
        assertThat(others.valueStream().noneMatch(one -> one.has("job"))).isTrue();
        assertThat(text(another, "/cluster")).contains("id=\"machine-0\"").doesNotContain("owner~train");
        assertThat(text(owner, "/cluster")).contains("/jobs/owner~train");
        assertThat(text(another, "/jobs-usage?jobs=owner~train")).isEqualTo("{}");
        assertThat(until("/api/v2/nodes", all -> all.size() == 1)
                        .get(0)
                        .path("devicesHeld")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void prometheus_reads_devices_tasks_jobs_and_the_gateway_itself() throws Exception {
        until("/api/v2/devices", all -> all.valueStream().anyMatch(one -> one.has("job")));
        String metrics = text(owner, "/metrics");
        assertThat(metrics)
                .contains("accelerator_assignment{node=\"")
                .contains("job_id=\"owner~train\"")
                .contains(
                        "job_info{job_id=\"owner~train\",job_name=\"train\",user=\"owner\",virtual_cluster=\"default\"} 1")
                .contains("simulated=\"true\"")
                .contains("task_gpu_percent{")
                .contains("sluice_web_request_seconds_count")
                .contains("sluice_telemetry_round_seconds_count");
        for (var taken : Map.of(
                        "gzip", "gzip",
                        "br, GZIP;q=0.5", "gzip",
                        "gzip;q=0", "identity",
                        "deflate", "identity",
                        "notgzip", "identity")
                .entrySet()) {
            Browser reader = as(owner);
            reader.headers.set("Accept-Encoding", taken.getKey());
            var answer = reader.send(HttpMethod.GET, "/metrics", null, null).await();
            assertThat(Objects.requireNonNullElse(answer.getHeader("Content-Encoding"), "identity"))
                    .as("for whoever takes " + taken.getKey())
                    .isEqualTo(taken.getValue());
        }
    }
}
