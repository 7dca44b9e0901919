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
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A gateway with simulated devices, and a real Prometheus that reads it every second, by two names, as it reads two gateways on one database. */
final class PrometheusDesk implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    final TestServer server;
    final Crowd crowd;
    final String address;
    private final Process prometheus;
    private final Map<String, Person> running = new java.util.LinkedHashMap<>();

    PrometheusDesk(Path folder, String... flags) throws IOException {
        assumeTrue(
                isThere("prometheus") && isThere("promtool"),
                "Prometheus is not installed (Debian package prometheus)");
        try (var free = new ServerSocket(0)) {
            address = "127.0.0.1:" + free.getLocalPort();
        }
        List<String> all = new ArrayList<>(List.of(
                "--simulate-devices", "4xH100", "--allow-shared-process-engine", "--prometheus", "http://" + address));
        all.addAll(List.of(flags));
        server = new TestServer(folder.resolve("data"), all.toArray(String[]::new));
        int port = URI.create(server.address()).getPort();
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(
                folder.resolve("rules.yml"),
                Files.readString(Path.of("../compose/prometheus/rules.yml")).replace("interval: 30s", "interval: 1s"));
        Files.writeString(
                config,
                "rule_files: [rules.yml]\nscrape_configs: [{job_name: sluice, scrape_interval: 1s, static_configs: [{targets: ['127.0.0.1:"
                        + port + "', 'localhost:" + port + "']}]}]\n");
        prometheus = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("tsdb"),
                        "--web.listen-address=" + address)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("prometheus.log").toFile())
                .start();
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    private static boolean isThere(String program) {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    Browser as(Person person) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(person));
        return browser;
    }

    /** A job with one task that prints and never ends. */
    void run(Person owner, String name, int devices) {
        String job = """
                {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": %d, "cpuNumber": 1, "memoryMB": 100,
                 "command": "while true; do echo step; sleep 0.2; done"}]}
                """.formatted(name, devices);
        var answer = as(owner)
                .send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
        running.put(owner.name() + "~" + name, owner);
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(prometheus.pid()))
                .start()
                .waitFor();
    }

    /** Asks Prometheus itself. */
    JsonNode query(String expression) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1/query?query="
                        + URLEncoder.encode(expression, StandardCharsets.UTF_8)))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return JSON.readTree(client.send(request, BodyHandlers.ofString()).body());
        }
    }

    static JsonNode until(Callable<JsonNode> asked, Predicate<JsonNode> condition) throws Exception {
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

    JsonNode filled(String expression) throws Exception {
        return until(
                () -> query(expression),
                answer -> answer.path("data").path("result").size() > 0);
    }

    @Override
    public void close() {
        running.forEach((job, owner) -> as(owner)
                .send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/" + job + "/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await());
        prometheus.destroyForcibly().onExit().join();
        crowd.close();
        server.close();
    }
}
