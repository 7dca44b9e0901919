package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Door;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** T16: two gateways on one database and one engine. What changes at the one ends within 5 s what the other holds open. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TwoGateways {
    private static final long SOON_MILLIS = 5_000;
    private static final long LARGE = 1L << 40;

    @TempDir
    private static Path folder;

    private DoorDesk here;
    private DoorDesk there;
    private @Nullable SshDesk ssh;
    private WebSocketClient sockets;

    /** The first of the two; tasks are to be reached from both. */
    abstract DoorDesk desk(Path data) throws Exception;

    @BeforeAll
    void open() throws Exception {
        here = desk(Files.createDirectory(folder.resolve("here")));
        there = here.beside(Files.createDirectory(folder.resolve("there")));
        sockets = there.server.vertx().createWebSocketClient();
    }

    @AfterAll
    void close() {
        if (there != null) {
            there.close();
        }
        if (here != null) {
            here.close();
        }
    }

    /** What somebody has open at the other gateway, by what it is; each is over when that has ended. */
    private final class Visit implements AutoCloseable {
        final DoorDesk.Somebody who;
        final Map<String, CompletableFuture<String>> open = new LinkedHashMap<>();
        private final List<Socket> connections = new ArrayList<>();
        private final List<Process> clients = new ArrayList<>();

        Visit(DoorDesk.Somebody who) {
            this.who = who;
        }

        /** A WebSocket and a stream of events to the app. */
        Visit toApp(Door door) throws IOException {
            listens("tunnel", door.upgrade("/ws", "Origin: " + door.origin()), "\r\n\r\n");
            listens("events", door.request("GET", "/ticks"), "data: x");
            return this;
        }

        private void listens(String what, String bytes, String begins) throws IOException {
            Socket socket = there.connect();
            connections.add(socket);
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(DoorDesk.until(socket, begins)).as(what).matches("(?s)HTTP/1.1 (101|200) .*");
            open.put(what, over(() -> "" + read(socket)));
        }

        private static long read(Socket socket) {
            long all = 0;
            byte[] piece = new byte[1 << 20];
            try {
                for (int count; (count = socket.getInputStream().read(piece)) >= 0; ) {
                    all += count;
                }
            } catch (IOException cut) {
                return all;
            }
            return all;
        }

        private static CompletableFuture<String> over(Callable<String> waits) {
            var over = new CompletableFuture<String>();
            Thread.ofVirtual().start(() -> {
                try {
                    over.complete(waits.call());
                } catch (Exception e) {
                    over.completeExceptionally(e);
                }
            });
            return over;
        }

        Visit toTask(Path key) throws IOException {
            String at = who.name() + "~evil@127.0.0.1";
            int local;
            try (var free = new ServerSocket(0)) {
                local = free.getLocalPort();
            }
            int inside = who.state("evil", "web").path("port").asInt();
            Process client = Objects.requireNonNull(ssh)
                    .start(key, "-L", local + ":127.0.0.1:" + inside, at, "echo here; sleep 300");
            clients.add(client);
            assertThat(client.getInputStream().readNBytes(5)).asString().isEqualTo("here\n");
            var forwarded = new Socket(InetAddress.getLoopbackAddress(), local);
            connections.add(forwarded);
            forwarded.setSoTimeout(60_000);
            forwarded
                    .getOutputStream()
                    .write("GET /ticks HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(DoorDesk.until(forwarded, "data: x")).startsWith("HTTP/1.1 200");
            open.put("forwarded port", over(() -> DoorDesk.all(forwarded)));
            open.put("ssh", over(() -> "" + client.waitFor()));
            var closed = new CompletableFuture<String>();
            var terminal = sockets.connect(new WebSocketConnectOptions()
                            .setHost("127.0.0.1")
                            .setPort(there.port())
                            .setURI("/live/jobs/" + who.name() + "~evil/terminal?role=main&index=0")
                            .addSubProtocol("sluice.terminal.v1")
                            .addHeader("Authorization", "Bearer " + who.token))
                    .await();
            terminal.closeHandler(end -> closed.complete("" + terminal.closeStatusCode()));
            open.put("terminal", closed);
            return this;
        }

        /** A file that nobody reads to its end. */
        Visit toFile() throws IOException {
            Path home = Files.createDirectories(there.data.resolve("homes").resolve(who.name()));
            try (var large = new RandomAccessFile(home.resolve("large").toFile(), "rw")) {
                large.setLength(LARGE);
            }
            listens(
                    "download",
                    "GET /api/v2/files/" + who.name()
                            + "/content?path=large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + who.token
                            + "\r\n\r\n",
                    "\r\n\r\n");
            return this;
        }

        /** @param since in nanoseconds, the change */
        void isOver(long since) throws Exception {
            for (Map.Entry<String, CompletableFuture<String>> one : open.entrySet()) {
                long left = SOON_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
                assertThat(one.getValue())
                        .as(one.getKey() + " of " + who.name())
                        .succeedsWithin(Duration.ofMillis(Math.max(1, left)));
            }
        }

        @Override
        public void close() throws IOException {
            clients.forEach(Process::destroyForcibly);
            for (Socket one : connections) {
                one.close();
            }
        }
    }

    private Visit visit(DoorDesk.Somebody who) throws Exception {
        who.start("evil");
        var other = who.at(there);
        if (ssh == null) {
            var told = DoorDesk.JSON.readTree(other.call("GET", "/api/v2/jobs/" + who.name() + "~evil/ssh", null)
                    .body());
            int port = told.path("containers").path(0).path("sshPort").asInt();
            ssh = new SshDesk(Files.createDirectory(folder.resolve("client")), port);
        }
        Path key = Objects.requireNonNull(ssh).key(who.name());
        Objects.requireNonNull(ssh).give(who, key);
        other.ready("evil", "web");
        return new Visit(other).toApp(other.door("evil", "web")).toTask(key);
    }

    @Test
    void who_is_disabled_at_the_one_is_cut_off_at_the_other() throws Exception {
        var carl = here.somebody("carl");
        try (Visit visit = visit(carl).toFile()) {
            long since = System.nanoTime();
            here.crowd.disable(carl.person);
            visit.isOver(since);
            assertThat(visit.open.get("terminal")).isCompletedWithValue("4401");
            assertThat(Long.parseLong(
                            Objects.requireNonNull(visit.open.get("download")).join()))
                    .isLessThan(LARGE);
        }
    }

    @Test
    void what_ends_with_its_job_at_the_one_is_ended_at_the_other() throws Exception {
        var dora = here.somebody("dora");
        try (Visit visit = visit(dora)) {
            long since = System.nanoTime();
            dora.stop("evil");
            visit.isOver(since);
        }
    }

    @Test
    void a_share_taken_back_and_a_role_lost_at_the_one_end_what_they_opened_at_the_other() throws Exception {
        var ann = here.somebody("ann");
        var bob = here.somebody("bob");
        var boss = here.administrator("boss");
        var chief = here.administrator("chief");
        ann.start("evil");
        ann.on("evil", "web", "{\"recipe\":\"port\",\"shared\":[\"bob\"]}");
        String page = "/endpoints/" + ann.door("evil", "web").host().substring(0, 20);
        try (Visit hers = new Visit(ann.at(there)).toApp(ann.at(there).door("evil", "web"));
                Visit bobs = invited(bob.at(there), page);
                Visit bosss = invited(boss.at(there), page)) {
            long since = System.nanoTime();
            assertThat(ann.call("POST", "/jobs/ann~evil/endpoints/web/unshare", "{\"with\":\"bob\"}")
                            .statusCode())
                    .isEqualTo(303);
            var lost = chief.call("PUT", "/api/v2/users/boss/admin", "{\"admin\":false}");
            assertThat(lost.statusCode()).as(lost.body()).isEqualTo(201);
            bobs.isOver(since);
            bosss.isOver(since);
            assertThat(hers.open.values()).noneMatch(CompletableFuture::isDone);
        }
    }

    private Visit invited(DoorDesk.Somebody who, String page) throws IOException {
        var location = new String[1];
        DoorDesk.until("it is open to " + who.name(), () -> {
            location[0] =
                    who.call("GET", page, null).headers().firstValue("Location").orElse("");
            return location[0].contains("/.sluice/enter");
        });
        return new Visit(who).toApp(there.enter(URI.create(location[0]), "what ann shares"));
    }

    /** A sign-out, a new password and the end of a session are one: what let in is not there any more. */
    @Test
    void who_signs_out_at_the_one_is_cut_off_at_the_other() throws Exception {
        var eve = here.somebody("eve");
        eve.start("evil");
        var other = eve.at(there);
        try (Visit visit = new Visit(other).toApp(other.door("evil", "web"))) {
            long since = System.nanoTime();
            assertThat(eve.call("DELETE", "/api/v2/tokens/" + eve.token, null).statusCode())
                    .isEqualTo(200);
            visit.isOver(since);
        }
    }
}
