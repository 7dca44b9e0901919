package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus reads the gateway, and the gateway reads it. */
class PrometheusIT {
    private static final ObjectMapper JSON = PrometheusDesk.JSON;
    /** Of simulated devices no tool tells, and none is idle for half an hour or broken; tasks share the machine's network. */
    private static final List<String> NOTHING_HERE =
            List.of("accelerator_collector_", "_network_", "accelerator_processes", "out_of_service", "< 0.05");

    @TempDir
    private static Path folder;

    private static PrometheusDesk desk;
    private static Person owner;

    @BeforeAll
    static void start() throws IOException {
        desk = new PrometheusDesk(folder);
        owner = desk.crowd.person("owner", false);
        desk.run(owner, "train", 2);
    }

    @AfterAll
    static void stop() {
        if (desk != null) {
            desk.close();
        }
    }

    private static JsonNode api(String path) throws IOException {
        return JSON.readTree(
                desk.as(owner).send(HttpMethod.GET, path, null, null).await().bodyAsString());
    }

    private static JsonNode query(String expression) throws IOException, InterruptedException {
        return desk.query(expression);
    }

    private static JsonNode filled(String expression) throws Exception {
        return desk.filled(expression);
    }

    @Test
    void it_reads_devices_and_tasks_and_its_expressions_find_them() throws Exception {
        // each of the two names has all of it, and which of them comes first is the hash of it
        filled("accelerator_assignment{instance!~\"localhost.*\"} * on (node, device) group_left ()"
                + " accelerator_utilization_ratio{instance!~\"localhost.*\"}");
        assertThat(filled("up{job=\"sluice\"}").at("/data/result/0/value/1").asText())
                .isEqualTo("1");
        assertThat(filled("count(accelerator_info{instance!~\"localhost.*\"})")
                        .at("/data/result/0/value/1")
                        .asText())
                .isEqualTo("4");
        assertThat(filled("count(accelerator_assignment{job_id=\"owner~train\",instance!~\"localhost.*\"})")
                        .at("/data/result/0/value/1")
                        .asText())
                .isEqualTo("2");
        filled("job_info{user=\"owner\"}");
        filled("sluice_task_memory_bytes{job_id=\"owner~train\"}");
        filled("task_gpu_percent{username=\"owner\"}");
        assertThat(query("exported_job").path("data").path("result"))
                .as("no label of Prometheus' own")
                .isEmpty();
    }

    @Test
    void what_is_exposed_passes_the_check_of_metrics() throws Exception {
        Path text = folder.resolve("metrics.txt");
        Files.writeString(text, desk.as(owner).get("/metrics").bodyAsString());
        var check = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .redirectInput(text.toFile())
                .start();
        assertThat(new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(check.waitFor()).isZero();
    }

    @Test
    void the_rules_do_what_their_tests_say() throws Exception {
        Path rules = Path.of("../compose/prometheus");
        var check = new ProcessBuilder("promtool", "test", "rules", "rules.test.yml")
                .directory(rules.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(check.waitFor()).as(said).isZero();
    }

    @Test
    void every_expression_of_the_dashboards_finds_what_there_is() throws Exception {
        filled("accelerator_assignment");
        List<String> expressions = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("../grafana/dashboards"))) {
            for (Path file : files.toList()) {
                JSON.readTree(file.toFile()).findValuesAsText("expr").forEach(expressions::add);
            }
        }
        assertThat(expressions).hasSizeGreaterThan(20);
        for (String expression : expressions) {
            String filledIn = expression
                    .replace("$job", "owner~train")
                    .replace("$user", "owner")
                    .replace("$node", ".*")
                    .replace("$__rate_interval", "1m")
                    .replace("$__range:1m", "1h:1s");
            if (NOTHING_HERE.stream().anyMatch(expression::contains)) {
                assertThat(query(filledIn).path("status").asText()).as(filledIn).isEqualTo("success");
            } else {
                assertThat(filled(filledIn).path("status").asText())
                        .as(filledIn)
                        .isEqualTo("success");
            }
        }
    }

    @Test
    void the_rules_record_what_jobs_use() throws Exception {
        for (String rule : List.of(
                "job:accelerator_utilization:avg",
                "job:accelerator_devices:count",
                "job:accelerator_memory_used_bytes:sum",
                "job:accelerator_power_watts:sum")) {
            filled(rule + "{job_id=\"owner~train\"}");
        }
        assertThat(filled("job:accelerator_devices:count")
                        .at("/data/result/0/value/1")
                        .asText())
                .isEqualTo("2");
    }

    @Test
    void the_gateway_has_history_from_it_and_its_own_while_it_is_away() throws Exception {
        String path = "/api/v2/jobs/owner~train/series?source=prometheus&metrics=utilization,memory";
        JsonNode series = PrometheusDesk.until(
                () -> api(path),
                answer -> answer.path("source").asText().equals("prometheus")
                        && answer.path("lines")
                                .valueStream()
                                .anyMatch(line -> line.has("device")
                                        && line.path("values").valueStream().anyMatch(JsonNode::isNumber)));
        assertThat(series.path("lines").valueStream().filter(line -> line.has("device")))
                .hasSize(2);
        assertThat(series.path("lines").get(0).path("role").asText()).isEqualTo("main");
        desk.signal("STOP");
        try {
            JsonNode own = api(path);
            assertThat(own.path("source").asText())
                    .as("it does not answer in time")
                    .isEqualTo("memory");
            assertThat(own.path("lines").valueStream().anyMatch(line -> line.has("device")))
                    .isTrue();
        } finally {
            desk.signal("CONT");
        }
    }
}
