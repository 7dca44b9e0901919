package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus reads the gateway, and the gateway reads it. */
class PrometheusIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String JOB = """
            {"jobName": "train", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": 2, "cpuNumber": 1, "memoryMB": 100,
             "command": "while true; do echo step; sleep 0.2; done"}]}
            """;

    /** Of simulated devices no tool tells, and none is idle for half an hour or broken; tasks share the machine's network. */
    private static final List<String> NOTHING_HERE =
            List.of("accelerator_collector_", "_network_", "accelerator_processes", "out_of_service", "< 0.05");

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;
    private static Person owner;
    private static Process prometheus;
    private static String address = "";

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(
                isThere("prometheus") && isThere("promtool"),
                "Prometheus is not installed (Debian package prometheus)");
        try (var free = new ServerSocket(0)) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
        server = new TestServer(
                folder.resolve("data"),
                "--simulate-devices",
                "4xH100",
                "--allow-shared-process-engine",
                "--prometheus",
                "http://" + address);
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(
                folder.resolve("rules.yml"),
                Files.readString(Path.of("../compose/prometheus/rules.yml")).replace("interval: 30s", "interval: 1s"));
        Files.writeString(
                config,
                "rule_files: [rules.yml]\nscrape_configs: [{job_name: sluice, scrape_interval: 1s, static_configs: [{targets: ['"
                        + URI.create(server.address()).getAuthority() + "']}]}]\n");
        prometheus = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("tsdb"),
                        "--web.listen-address=" + address)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        owner = crowd.person("owner", false);
        as().send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(JOB))
                .await();
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (prometheus != null) {
            prometheus.destroyForcibly().waitFor();
        }
        if (server != null) {
            as().send(
                            HttpMethod.PUT,
                            "/api/v2/jobs/owner~train/executionType",
                            "application/json",
                            Buffer.buffer("{\"value\":\"STOP\"}"))
                    .await();
            crowd.close();
            server.close();
        }
    }

    private static void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(prometheus.pid()))
                .start()
                .waitFor();
    }

    private static boolean isThere(String program) {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    private static Browser as() {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(owner));
        return browser;
    }

    private static JsonNode api(String path) throws IOException {
        return JSON.readTree(as().send(HttpMethod.GET, path, null, null).await().bodyAsString());
    }

    private static JsonNode query(String expression) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1/query?query="
                        + URLEncoder.encode(expression, StandardCharsets.UTF_8)))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return JSON.readTree(client.send(request, BodyHandlers.ofString()).body());
        }
    }

    private static JsonNode until(Callable<JsonNode> asked, Predicate<JsonNode> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        JsonNode answer = JSON.nullNode();
        while (!condition.test(answer)) {
            assertThat(System.nanoTime()).as("too late: " + answer).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
            try {
                answer = asked.call();
            } catch (IOException e) {
                answer = JSON.nullNode(); // it is still starting
            }
        }
        return answer;
    }

    private static JsonNode filled(String expression) throws Exception {
        return until(
                () -> query(expression),
                answer -> answer.path("data").path("result").size() > 0);
    }

    @Test
    void it_reads_devices_and_tasks_and_its_expressions_find_them() throws Exception {
        filled("accelerator_assignment * on (node, device) group_left () accelerator_utilization_ratio");
        assertThat(filled("up{job=\"sluice\"}").at("/data/result/0/value/1").asText())
                .isEqualTo("1");
        assertThat(filled("count(accelerator_info)")
                        .at("/data/result/0/value/1")
                        .asText())
                .isEqualTo("4");
        assertThat(filled("count(accelerator_assignment{job_id=\"owner~train\"})")
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
        Files.writeString(text, as().get("/metrics").bodyAsString());
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
        JsonNode series = until(
                () -> api(path),
                answer -> answer.path("source").asText().equals("prometheus")
                        && answer.path("lines")
                                .valueStream()
                                .anyMatch(line -> line.has("device")
                                        && line.path("values").valueStream().anyMatch(JsonNode::isNumber)));
        assertThat(series.path("lines").valueStream().filter(line -> line.has("device")))
                .hasSize(2);
        assertThat(series.path("lines").get(0).path("role").asText()).isEqualTo("main");
        signal("STOP");
        try {
            JsonNode own = api(path);
            assertThat(own.path("source").asText())
                    .as("it does not answer in time")
                    .isEqualTo("memory");
            assertThat(own.path("lines").valueStream().anyMatch(line -> line.has("device")))
                    .isTrue();
        } finally {
            signal("CONT");
        }
    }
}
