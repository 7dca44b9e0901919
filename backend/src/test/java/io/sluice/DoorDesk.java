package io.sluice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.engines.docker.TestDaemon;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A gateway in this JVM, people with jobs in which apps run, and what goes over a plain socket to one of them. */
final class DoorDesk implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final TestServer server;
    final Path data;
    final Crowd crowd;
    private final List<String> flags;
    private final boolean tls;
    private final HttpClient client;

    /** What its jobs run in, and where what they serve listens. */
    final String image;

    final String listens;

    DoorDesk(Path data, String... flags) {
        this(data, "none", "127.0.0.1", List.of(flags));
    }

    /** With tasks as containers of a real Docker engine. */
    static DoorDesk onDocker(Path data, TestDaemon daemon, String image, String... more) throws IOException {
        var flags = Stream.concat(Stream.of("--engine", "docker", "--docker-host", daemon.host()), Stream.of(more));
        return new DoorDesk(data.toRealPath(), image, "0.0.0.0", flags.toList());
    }

    private DoorDesk(Path data, String image, String listens, List<String> flags) {
        this(data, image, listens, flags, null);
    }

    /** A second gateway on the same database and engine, with a folder of its own. It is closed before this one. */
    DoorDesk beside(Path data) throws IOException {
        return new DoorDesk(data.toRealPath(), image, listens, flags, server);
    }

    private DoorDesk(Path data, String image, String listens, List<String> flags, @Nullable TestServer first) {
        this.data = data;
        this.flags = flags;
        this.tls = flags.contains("--tls-cert");
        this.client = (tls ? HttpClient.newBuilder().sslContext(Trusting.context()) : HttpClient.newBuilder()).build();
        this.image = image;
        this.listens = listens;
        String[] all = Stream.concat(Stream.of("--allow-shared-process-engine"), flags.stream())
                .toArray(String[]::new);
        this.server = first == null ? new TestServer(data, all) : first.beside(data, all);
        this.crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    int port() {
        return URI.create(server.address()).getPort();
    }

    Somebody somebody(String name) {
        Person person = crowd.person(name, false);
        return new Somebody(person, crowd.bearer(person));
    }

    Somebody administrator(String name) {
        Person person = crowd.person(name, true);
        return new Somebody(person, crowd.bearer(person));
    }

    @Override
    public void close() {
        client.close();
        crowd.close();
        server.close();
    }

    static void until(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); !condition.getAsBoolean(); ) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited in vain: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** One user, and their programs. */
    final class Somebody {
        final Person person;
        final String token;

        Somebody(Person person, String token) {
            this.person = person;
            this.token = token;
        }

        String name() {
            return person.name();
        }

        /** The same one, who comes to another gateway. */
        Somebody at(DoorDesk other) {
            return other.new Somebody(person, token);
        }

        Path home() throws IOException {
            return Files.createDirectories(data.resolve("homes").resolve(name()));
        }

        HttpResponse<String> call(String method, String path, @Nullable String body) {
            var request = HttpRequest.newBuilder(URI.create(server.address() + path))
                    .timeout(Duration.ofSeconds(30))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/json")
                    .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            try {
                return client.send(request.build(), BodyHandlers.ofString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void submit(String job, String command, Map<String, Object> extras) {
            var text = JSON.createObjectNode().put("jobName", job).put("image", image);
            text.set("extras", JSON.valueToTree(extras));
            text.putArray("taskRoles")
                    .addObject()
                    .put("name", "main")
                    .put("cpuNumber", 0)
                    .put("memoryMB", 256)
                    .put("command", command);
            var answer = call("POST", "/api/v2/jobs", text.toString());
            if (answer.statusCode() != 202) {
                throw new AssertionError(answer.body());
            }
        }

        /** A job whose program keeps what it is sent in a file of the home, and is open as {@code web}. */
        Door evil(String job) throws IOException {
            start(job);
            return door(job, "web");
        }

        void start(String job) throws IOException {
            try (InputStream file = Objects.requireNonNull(DoorDesk.class.getResourceAsStream("/evil.py"))) {
                Files.write(home().resolve("evil.py"), file.readAllBytes());
            }
            submit(
                    job,
                    "exec python3 /userhome/evil.py $PAI_CURRENT_CONTAINER_PORT /userhome/" + job + ".kept " + listens,
                    Map.of());
            on(job, "web", "{\"recipe\":\"port\"}");
            ready(job, "web");
        }

        /** Of the gateway's door, as is told once the job runs. */
        int sshPort(String job) throws IOException {
            String told = "/api/v2/jobs/" + name() + "~" + job + "/ssh";
            until("it runs", () -> call("GET", told, null).statusCode() == 200);
            return JSON.readTree(call("GET", told, null).body())
                    .path("containers")
                    .path(0)
                    .path("sshPort")
                    .asInt();
        }

        void on(String job, String name, String wish) {
            var answer = call("PUT", endpoint(job, name), wish);
            if (answer.statusCode() != 200) {
                throw new AssertionError(answer.body());
            }
        }

        String endpoint(String job, String name) {
            return "/api/v2/jobs/" + name() + "~" + job + "/endpoints/" + name;
        }

        JsonNode state(String job, String name) {
            try {
                JsonNode all = JSON.readTree(call("GET", "/api/v2/jobs/" + name() + "~" + job + "/endpoints", null)
                        .body());
                for (JsonNode one : all) {
                    if (one.path("name").asText().equals(name)) {
                        return one;
                    }
                }
                return JSON.createObjectNode();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void ready(String job, String name) {
            becomes(job, name, "ready");
        }

        JsonNode becomes(String job, String name, String wanted) {
            var last = new JsonNode[] {JSON.createObjectNode()};
            try {
                until(name + " is " + wanted, () -> {
                    last[0] = state(job, name);
                    return last[0].path("state").asText().equals(wanted);
                });
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + ": " + last[0], e);
            }
            return last[0];
        }

        void stop(String job) {
            call("PUT", "/api/v2/jobs/" + name() + "~" + job + "/executionType", "{\"value\":\"STOP\"}");
        }

        /** Goes in as a browser does. */
        Door door(String job, String name) {
            return enter(ticket(job, name), name() + "/" + job);
        }

        URI ticket(String job, String name) {
            var answer = call("POST", endpoint(job, name) + "/ticket", "{}");
            try {
                return URI.create(JSON.readTree(answer.body()).path("url").asText());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Path kept(String job) throws IOException {
            return home().resolve(job + ".kept");
        }
    }

    Door enter(URI ticket, String whose) {
        String host = ticket.getRawAuthority();
        Answer answer = raw("GET " + ticket.getRawPath() + "?" + ticket.getRawQuery() + " HTTP/1.1\r\nHost: " + host
                + "\r\nConnection: close\r\n\r\n");
        List<String> set = answer.fields("Set-Cookie");
        if (answer.status() != 303 || set.size() != 2) {
            throw new AssertionError("not let in to " + whose + ": " + answer.text());
        }
        return new Door(host, value(set.get(0)), set.get(0), value(set.get(1)));
    }

    private static String value(String cookie) {
        return cookie.replaceFirst(";.*", "");
    }

    /**
     * What an endpoint is reached by.
     *
     * @param portal the cookie that says where the browser came from
     */
    record Door(String host, String cookie, String setCookie, String portal) {
        String origin() {
            return "http://" + host;
        }

        /** The head of a request, with more lines between. */
        String request(String method, String uri, String... lines) {
            return method + " " + uri + " HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + cookie
                    + (portal.isEmpty() ? "" : "; " + portal) + "\r\n"
                    + Stream.of(lines).map(line -> line + "\r\n").reduce("", String::concat) + "\r\n";
        }

        String upgrade(String uri, String... lines) {
            var all = Stream.concat(
                            Stream.of(
                                    "Connection: Upgrade",
                                    "Upgrade: websocket",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
                            Arrays.stream(lines))
                    .toArray(String[]::new);
            return request("GET", uri, all);
        }
    }

    record Answer(String text) {
        int status() {
            return text.startsWith("HTTP/1.1 ") ? Integer.parseInt(text.substring(9, 12)) : 0;
        }

        String head() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? text : text.substring(0, end);
        }

        String body() {
            int end = text.indexOf("\r\n\r\n");
            return end < 0 ? "" : text.substring(end + 4);
        }

        List<String> fields(String name) {
            return head().lines()
                    .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                    .map(line -> line.substring(name.length() + 1).strip())
                    .toList();
        }

        String field(String name) {
            return fields(name).stream().findFirst().orElse("");
        }
    }

    Socket connect() throws IOException {
        var socket = tls
                ? Trusting.context().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port())
                : new Socket(InetAddress.getLoopbackAddress(), port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Bytes as they are, on a connection of their own, and all that comes until it is closed or a moment passes. */
    Answer raw(String bytes) {
        return raw(bytes, 20_000);
    }

    Answer raw(String bytes, int patience) {
        try (var socket = connect()) {
            socket.setSoTimeout(patience);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new Answer(all(socket));
        } catch (IOException e) {
            return new Answer("");
        }
    }

    static String all(Socket socket) {
        var heard = new ByteArrayOutputStream();
        try {
            byte[] piece = new byte[65_536];
            for (int count = socket.getInputStream().read(piece); count >= 0; ) {
                heard.write(piece, 0, count);
                count = socket.getInputStream().read(piece);
            }
        } catch (IOException over) {
            // cut off, or nothing more comes: what there is counts
        }
        return heard.toString(StandardCharsets.ISO_8859_1);
    }

    /** Reads until a text has come. */
    static String until(Socket socket, String wanted) throws IOException {
        var heard = new ByteArrayOutputStream();
        byte[] piece = new byte[8_192];
        while (!heard.toString(StandardCharsets.ISO_8859_1).contains(wanted)) {
            int count = socket.getInputStream().read(piece);
            if (count < 0) {
                throw new IOException("closed after: " + heard.toString(StandardCharsets.ISO_8859_1));
            }
            heard.write(piece, 0, count);
        }
        return heard.toString(StandardCharsets.ISO_8859_1);
    }
}
