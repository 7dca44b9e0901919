package io.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A gateway as a process of its own, that can be killed and started again on the same folder, and a client of its API. */
final class Household implements AutoCloseable {
    private static final String PASSWORD = "a long enough password";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final Path folder;
    private final String image;
    private final Map<String, String> settings;
    /** What its gateway is started by. */
    private final List<String> starter;

    private volatile @Nullable Process process;
    private volatile String address = "";
    private volatile String token = "";

    Household(Path folder) {
        this(folder, "none", Map.of());
    }

    /** @param image that its jobs run in, and what else its gateway is started with */
    Household(Path folder, String image, Map<String, String> settings) {
        this(folder, image, settings, List.of());
    }

    /** @param starter a command that becomes the gateway, whose own command is behind it */
    Household(Path folder, String image, Map<String, String> settings, List<String> starter) {
        this.starter = starter;
        this.folder = folder;
        this.image = image;
        this.settings = settings;
    }

    String image() {
        return image;
    }

    /** Serves when it returns; an empty failpoint is none. */
    void start(String failpoint) throws IOException {
        start(failpoint, Map.of());
    }

    /** Starts and dies before it serves, or a moment after. */
    void startAndKill(Duration after) throws IOException, InterruptedException {
        spawn("", Map.of()).waitFor(after.toMillis(), TimeUnit.MILLISECONDS);
        kill();
    }

    void start(String failpoint, Map<String, String> environment) throws IOException {
        BufferedReader out = spawn(failpoint, environment).inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = out.readLine();
        }
        if (line == null) {
            throw new IOException("no gateway: " + Files.readString(errors()));
        }
        address = line.substring("ready ".length());
        if (token.isEmpty()) {
            signIn("admin");
        }
    }

    private Process spawn(String failpoint, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(JvmOptions.all());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.sluice.Main",
                "--port",
                "0",
                "--submissions-per-hour",
                "1000000",
                "--calls-per-minute",
                "1000000",
                "--streams-per-user",
                "1000",
                "--data",
                data().toString()));
        var builder = new ProcessBuilder(command);
        builder.environment().put("SLUICE_ADMIN_PASSWORD", PASSWORD);
        builder.environment().put("SLUICE_FAILPOINT", failpoint);
        // whether or not a Docker engine answers on this machine
        builder.environment().put("SLUICE_ENGINE", "process");
        builder.environment().put("SLUICE_SSH_PORT", "off");
        builder.environment().put("SLUICE_PROMETHEUS", "off");
        builder.environment().putAll(settings);
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.appendTo(errors().toFile()));
        var started = builder.start();
        process = started;
        return started;
    }

    /** The same gateway as another user sees it, who is made if need be. */
    Household as(String user) throws IOException {
        var person = JSON.createObjectNode()
                .put("username", user)
                .put("password", PASSWORD)
                .put("email", user + "@example.org")
                .put("admin", false);
        send(to("/api/v2/users")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(person.toString())));
        var other = new Household(folder, image, settings);
        other.address = address;
        other.signIn(user);
        return other;
    }

    void signInAgain() throws IOException {
        signIn("admin");
    }

    private void signIn(String user) throws IOException {
        var answer = send(HttpRequest.newBuilder(URI.create(address + "/api/v2/authn/basic/login"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(
                        "username=" + user + "&password=" + URLEncoder.encode(PASSWORD, StandardCharsets.UTF_8))));
        token = JSON.readTree(answer.body()).path("token").asText();
    }

    Path data() {
        return folder.resolve("data");
    }

    /** What jobs leave in the user's folder. */
    Path home() {
        return data().resolve("homes").resolve("admin");
    }

    void kill() throws InterruptedException {
        var alive = process;
        if (alive != null) {
            alive.destroyForcibly().waitFor();
        }
    }

    boolean isAlive() {
        var last = process;
        return last != null && last.isAlive();
    }

    /** Waits until it has died by itself. */
    boolean dies() throws InterruptedException {
        var alive = process;
        return alive == null || alive.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    HttpResponse<String> submit(String name, String command) throws IOException {
        return submit(name, command, 20);
    }

    HttpResponse<String> submit(String name, String command, int memoryMB) throws IOException {
        var job = JSON.createObjectNode().put("jobName", name).put("image", image);
        job.putArray("taskRoles")
                .addObject()
                .put("name", "main")
                .put("memoryMB", memoryMB)
                .put("command", command);
        return submitText(job.toString(), name);
    }

    /** An empty key is none. */
    HttpResponse<String> submitText(String text, String key) throws IOException {
        var request = to("/api/v2/jobs").POST(BodyPublishers.ofString(text));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return send(request.header("Content-Type", text.startsWith("{") ? "application/json" : "text/yaml"));
    }

    HttpResponse<String> stop(String name) throws IOException {
        return put("/api/v2/jobs/admin~" + name + "/executionType", "{\"value\":\"STOP\"}");
    }

    HttpResponse<String> post(String path, String json) throws IOException {
        return send(to(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(json)));
    }

    HttpResponse<String> put(String path, String json) throws IOException {
        return send(to(path).header("Content-Type", "application/json").PUT(BodyPublishers.ofString(json)));
    }

    HttpResponse<String> delete(String path) throws IOException {
        return send(to(path).DELETE());
    }

    JsonNode get(String path) throws IOException {
        return JSON.readTree(send(to(path)).body());
    }

    String state(String name) throws IOException {
        return get("/api/v2/jobs/admin~" + name).path("jobStatus").path("state").asText();
    }

    /** As a browser in that language gets it. */
    String page(String path, String language) throws IOException {
        return send(to(path).header("Cookie", "sluice_lang=" + language)).body();
    }

    String address() {
        return address;
    }

    String token() {
        return token;
    }

    byte[] bytes(String path) throws IOException {
        try {
            return client.send(to(path).build(), BodyHandlers.ofByteArray()).body();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).header("Authorization", "Bearer " + token);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return client.send(request.timeout(Duration.ofSeconds(15)).build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Its database's processes. */
    List<Long> database() throws IOException {
        List<Long> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path each : all) {
                if (isDatabase(each)) {
                    found.add(Long.parseLong(each.getFileName().toString()));
                }
            }
        }
        return found;
    }

    /** Where it keeps its files. */
    Path databaseFolder() throws IOException {
        List<Long> processes = database();
        if (processes.isEmpty()) {
            throw new IOException("no database runs here");
        }
        for (long each : processes) {
            Path at = Files.readSymbolicLink(Path.of("/proc", Long.toString(each), "cwd"));
            if (Files.exists(at.resolve("global/pg_control"))) {
                return at;
            }
        }
        throw new IOException("no database's folder among " + processes);
    }

    private boolean isDatabase(Path each) {
        try {
            return Files.readString(each.resolve("comm")).startsWith("postgres")
                    && Files.readSymbolicLink(each.resolve("cwd")).startsWith(data().toRealPath());
        } catch (IOException gone) {
            return false;
        }
    }

    void signal(String name, List<Long> processes) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        processes.forEach(each -> command.add(each.toString()));
        new ProcessBuilder(command).start().waitFor();
    }

    static void eventually(Callable<Boolean> condition) throws Exception {
        eventually(PATIENCE, condition, () -> "");
    }

    /** A job is final within the time; if not, all that is known of it is said. */
    void ends(Duration patience, String job) throws Exception {
        eventually(
                patience,
                () -> List.of("FAILED", "SUCCEEDED", "STOPPED").contains(state(job)),
                () -> JobTrace.of(this, job));
    }

    static void eventually(Duration patience, Callable<Boolean> condition, Callable<String> explanation)
            throws Exception {
        long begin = System.nanoTime();
        for (; !condition.call(); LockSupport.parkNanos(50_000_000)) {
            if (System.nanoTime() - begin > patience.toNanos()) {
                throw new AssertionError("did not come about within " + patience + "\n" + explanation.call());
            }
        }
    }

    Path errors() {
        return folder.resolve("errors");
    }

    @Override
    public void close() throws IOException {
        var alive = process;
        if (alive == null) {
            return; // another user of a gateway that is not ours to end
        }
        try {
            alive.destroy();
            if (!alive.waitFor(15, TimeUnit.SECONDS)) {
                alive.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            Leftovers.end(folder);
        }
    }
}
