package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.identity.Crowd;
import io.sluice.logs.Logs;
import io.sluice.web.Web;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A gateway in this JVM whose jobs print what a test wants, and what clients of their logs do. */
final class LogDesk implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    final TestServer server;
    final Path data;
    final Crowd crowd;
    private final HttpClient client;
    /** What its jobs run in. */
    private String image = "none";

    LogDesk(Path data) {
        this(data, Logs.Settings.of(data));
    }

    LogDesk(Path data, Logs.Settings settings) {
        this(data, settings, UnaryOperator.identity(), HttpClient.newBuilder());
    }

    LogDesk(
            Path data,
            Logs.Settings settings,
            UnaryOperator<Web.Settings> web,
            HttpClient.Builder client,
            String... flags) {
        this.data = data;
        this.client = client.build();
        var all = new ArrayList<>(List.of("--allow-shared-process-engine", "--streams-per-user", "60"));
        all.addAll(List.of(flags));
        this.server = new TestServer(data, settings, web, all.toArray(String[]::new));
        this.crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    LogDesk in(String image) {
        this.image = image;
        return this;
    }

    /** Somebody, with a token that may do everything. */
    Client client(String name, boolean admin) {
        return client(crowd.person(name, admin));
    }

    /** Somebody, signed in once more. */
    Client client(Crowd.Person person) {
        return new Client(person.name(), crowd.bearer(person));
    }

    @Override
    public void close() {
        client.close();
        crowd.close();
        server.close();
    }

    /** One user's program. */
    final class Client {
        final String name;
        final String token;

        Client(String name, String token) {
            this.name = name;
            this.token = token;
        }

        Client with(String other) {
            return new Client(name, other);
        }

        Path home() throws IOException {
            return Files.createDirectories(data.resolve("homes").resolve(name));
        }

        /** A job that prints these bytes and ends; the answer is the path of its log. */
        String printed(String job, byte[] bytes) throws IOException {
            Files.write(home().resolve(job), bytes);
            String log = submit(job, "cat /userhome/" + job);
            ended(job);
            JsonNode status = json("/api/v2/jobs/" + name + "~" + job).path("jobStatus");
            if (!status.path("state").asText().equals("SUCCEEDED")
                    || status.path("retries").asInt() != 0) {
                throw new IllegalStateException(status.toString());
            }
            return log;
        }

        String submit(String job, String command) throws IOException {
            var text = JSON.createObjectNode().put("jobName", job).put("image", image);
            text.putArray("taskRoles")
                    .addObject()
                    .put("name", "main")
                    .put("cpuNumber", 1)
                    .put("memoryMB", 64)
                    .put("command", command);
            var answer = send(request("/api/v2/jobs")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(text.toString())));
            if (answer.statusCode() != 202) {
                throw new IllegalStateException(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8));
            }
            return path(job) + "/log";
        }

        String path(String job) {
            return "/api/v2/jobs/" + name + "~" + job + "/attempts/0/taskRoles/main/taskIndex/0/attempts/0";
        }

        void ended(String job) {
            eventually(() -> !List.of("WAITING", "RUNNING", "STOPPING").contains(state(job)));
        }

        void running(String job) {
            eventually(() -> get(path(job) + "/log").statusCode() == 200);
        }

        String state(String job) throws IOException {
            return json("/api/v2/jobs/" + name + "~" + job)
                    .path("jobStatus")
                    .path("state")
                    .asText();
        }

        void stop(String job) throws IOException {
            send(request("/api/v2/jobs/" + name + "~" + job + "/executionType")
                    .header("Content-Type", "application/json")
                    .PUT(BodyPublishers.ofString("{\"value\":\"STOP\"}")));
        }

        JsonNode json(String path) throws IOException {
            return JSON.readTree(get(path).body());
        }

        HttpResponse<byte[]> get(String path, String... headers) throws IOException {
            var request = request(path);
            return send(headers.length == 0 ? request : request.headers(headers));
        }

        HttpRequest.Builder request(String path) {
            return HttpRequest.newBuilder(URI.create(server.address() + path))
                    .timeout(Duration.ofSeconds(30))
                    .header("Authorization", "Bearer " + token);
        }

        HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException {
            return sent(request, BodyHandlers.ofByteArray());
        }

        <T> HttpResponse<T> sent(HttpRequest.Builder request, HttpResponse.BodyHandler<T> body) throws IOException {
            try {
                return client.send(request.build(), body);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        Viewer follow(String log) {
            return follow(log, Long.MAX_VALUE);
        }

        /**
         * Of two who look at a log that grows to {@code bytes} one stops reading until the other has all of it; both must get
         * it, and the same.
         */
        byte[] receivedDespiteAStall(String log, byte[] bytes) throws Exception {
            var stalled = follow(log, 3);
            var other = follow(log);
            assertThat(other.code()).isEqualTo(1000);
            assertThat(stalled.received().length).isLessThan(bytes.length);
            stalled.readOn(Long.MAX_VALUE);
            assertThat(stalled.code()).isEqualTo(1000);
            assertThat(stalled.fault).isNull();
            assertThat(stalled.received()).isEqualTo(other.received());
            // what startsWith asks by reflection, byte for byte of 20 MB
            assertThat(Arrays.mismatch(stalled.received(), bytes)).isIn(-1, bytes.length);
            return other.received();
        }

        /** The status of an upgrade that is refused; 101 where it is not. */
        int refusal(String log) {
            try {
                follow(log).abort();
                return 101;
            } catch (UncheckedIOException e) {
                if (e.getCause() instanceof LogSocket.Refused refused) {
                    return refused.status();
                }
                throw e;
            }
        }

        /** Bytes as they come, over HTTP. */
        InputStream stream(String path) throws IOException {
            return sent(request(path).timeout(Duration.ofMinutes(2)), BodyHandlers.ofInputStream())
                    .body();
        }

        /** @param most frames to take at once; then the viewer stops reading */
        Viewer follow(String log, long most) {
            var viewer = new Viewer(most);
            viewer.socket = LogSocket.open(
                    client.sslContext(), URI.create(server.address().replace("http", "ws") + log), token, viewer);
            return viewer;
        }
    }

    /** The settings at another port, and with another patience for connections on which nothing happens. */
    static Web.Settings changed(Web.Settings web, int port, int idleSeconds) {
        return new Web.Settings(
                web.host(),
                port,
                web.certificate(),
                web.key(),
                web.trustedProxies(),
                web.tree(),
                web.logs(),
                web.connections(),
                web.connectionsPerAddress(),
                web.streamsPerUser(),
                web.callsPerMinute(),
                web.headerSeconds(),
                web.bodySeconds(),
                web.answerSeconds(),
                idleSeconds);
    }

    /** What came over a socket. */
    static final class Viewer implements WebSocket.Listener {
        final List<JsonNode> told = new ArrayList<>();
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final CompletableFuture<Integer> closed = new CompletableFuture<>();

        @Nullable
        WebSocket socket;

        volatile @Nullable String fault;
        private final StringBuilder text = new StringBuilder();
        private final ByteArrayOutputStream message = new ByteArrayOutputStream();
        private long next = -1;
        private long most;

        Viewer(long most) {
            this.most = most;
        }

        @Override
        public void onOpen(WebSocket opened) {
            opened.request(1);
        }

        @Override
        public synchronized CompletionStage<?> onText(WebSocket from, CharSequence piece, boolean last) {
            text.append(piece);
            if (last) {
                try {
                    JsonNode read = JSON.readTree(text.toString());
                    told.add(read);
                    switch (read.path("type").asText()) {
                        case "hello" -> next = read.path("offset").asLong();
                        // where the disk was full is told later than what was printed after it
                        case "skipped", "gap" ->
                            next = Math.max(next, read.path("to").asLong());
                        default -> {}
                    }
                } catch (IOException e) {
                    fault = e.toString();
                }
                text.setLength(0);
            }
            more(from);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public synchronized CompletionStage<?> onBinary(WebSocket from, ByteBuffer piece, boolean last) {
            byte[] part = new byte[piece.remaining()];
            piece.get(part);
            message.writeBytes(part);
            if (last) {
                byte[] frame = message.toByteArray();
                message.reset();
                long offset = ByteBuffer.wrap(frame).getLong();
                if (offset != next) {
                    fault = "a frame for " + offset + " came where " + next + " was next";
                }
                next = offset + frame.length - 8;
                bytes.write(frame, 8, frame.length - 8);
            }
            more(from);
            return CompletableFuture.completedStage(null);
        }

        private void more(WebSocket from) {
            if (--most > 0) {
                from.request(1);
            }
        }

        synchronized void readOn(long count) {
            most = count;
            java.util.Objects.requireNonNull(socket).request(1);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void onError(WebSocket from, Throwable failure) {
            closed.completeExceptionally(failure);
        }

        synchronized byte[] received() {
            return bytes.toByteArray();
        }

        synchronized List<JsonNode> told(String type) {
            return told.stream()
                    .filter(one -> one.path("type").asText().equals(type))
                    .toList();
        }

        int code() throws Exception {
            return closed.get(30, TimeUnit.SECONDS);
        }

        void say(String message) {
            java.util.Objects.requireNonNull(socket).sendText(message, true).join();
        }

        void abort() {
            java.util.Objects.requireNonNull(socket).abort();
        }
    }

    /** Something that is to come about. */
    interface Condition {
        boolean holds() throws Exception;
    }

    static void eventually(Condition condition) {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!holds(condition)) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("did not come about within 30 s");
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
