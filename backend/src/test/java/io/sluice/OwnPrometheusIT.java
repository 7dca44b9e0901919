package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus that the gateway runs itself. */
class OwnPrometheusIT {
    @TempDir
    private Path folder;

    private TestServer server;
    private boolean closed;

    @BeforeEach
    void start() {
        assumeTrue(
                Stream.of(String.valueOf(System.getenv("PATH")).split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "prometheus"))),
                "Prometheus is not installed (Debian package prometheus)");
        server = new TestServer(
                folder.resolve("da ta"),
                "--simulate-devices",
                "2xH100",
                "--allow-shared-process-engine",
                "--prometheus",
                "auto",
                "--prometheus-disk",
                "100m");
    }

    @AfterEach
    void stop() {
        if (server != null && !closed) {
            server.close();
        }
    }

    private static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("too late: " + what).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** The program itself, and not the shell that ends it. */
    private Optional<ProcessHandle> running() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> commandLine(process).startsWith("/"))
                .filter(process -> commandLine(process).contains("--storage.tsdb.path=" + folder))
                .filter(process -> !commandLine(process).startsWith("/bin/sh"))
                .findFirst();
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", "" + process.pid(), "cmdline"))
                    .replace('\0', ' ');
        } catch (IOException gone) {
            return "";
        }
    }

    private static int port(ProcessHandle process) {
        return Integer.parseInt(commandLine(process).replaceAll(".*--web.listen-address=127.0.0.1:(\\d+).*", "$1"));
    }

    private String metrics(Crowd crowd) {
        return crowd.browser().get("/metrics").bodyAsString();
    }

    @Test
    void it_reads_the_gateway_answers_it_alone_comes_again_and_ends_with_it() throws Exception {
        Crowd crowd = new Crowd(server.vertx(), server.database(), server.address());
        Person owner = crowd.person("owner", false);
        var browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(owner));
        String job = """
                {"jobName": "train", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": 1, "cpuNumber": 1, "memoryMB": 100,
                 "command": "while true; do echo step; sleep 0.2; done"}]}
                """;
        browser.send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        until("it is up", () -> metrics(crowd).contains("sluice_telemetry_own_prometheus_up 1.0"));
        ProcessHandle first = running().orElseThrow();
        assertThat(answer(port(first), "query?query=up", ""))
                .as("a stranger on this machine")
                .isEqualTo(401);
        assertThat(answer(port(first), "query?query=up", "Basic c2x1aWNlOmd1ZXNzZWQ="))
                .isEqualTo(401);
        assertThat(Files.readString(Path.of("/proc", "" + first.pid(), "environ"))
                        .split("\0"))
                .as("the gateway's has its secrets")
                .allMatch(one -> one.matches("(PATH|PWD|OLDPWD|SHLVL|_)=.*"));
        Path own = folder.resolve("da ta").resolve("prometheus");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        assertThat(commandLine(first)).contains("retention.size=104857600B", "retention.time=30d");
        assertThat(Arrays.asList(commandLine(first).split(" "))).noneMatch(word -> word.contains("token"));
        until(
                "history of its own",
                () -> browser.get("/api/v2/jobs/owner~train/series?source=prometheus&metrics=utilization,memory")
                        .bodyAsString()
                        .contains("\"source\":\"prometheus\""));

        first.destroyForcibly();
        until(
                "it comes again",
                () -> running().filter(other -> other.pid() != first.pid()).isPresent());
        until(
                "and is up",
                () -> metrics(crowd).contains("sluice_telemetry_own_prometheus_ends_total 1.0")
                        && metrics(crowd).contains("sluice_telemetry_own_prometheus_up 1.0"));
        until(
                "it knows what it knew",
                () -> browser.get("/api/v2/jobs/owner~train/series?source=prometheus&metrics=utilization,memory")
                        .bodyAsString()
                        .contains("\"source\":\"prometheus\""));
        ProcessHandle second = running().orElseThrow();
        browser.send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/owner~train/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        crowd.close();
        server.close();
        closed = true;
        until("it has ended with the gateway", () -> !second.isAlive());
    }

    private static int answer(int port, String path, String authorization) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/" + path));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8))
                    .statusCode();
        }
    }
}
