package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class LiveTest {
    private static final int NOTHING = -2;

    private final AtomicInteger newest = new AtomicInteger(7);
    private volatile Future<Void> gate = Future.succeededFuture();

    private final BlockingQueue<String> asked = new ArrayBlockingQueue<>(1);
    private final BlockingQueue<String> left = new ArrayBlockingQueue<>(1);
    private final Promise<Void> late = Promise.promise();

    @TempDir
    private Path folder;

    private Portal portal;
    private WebSocketClient clients;

    @BeforeEach
    void open() {
        portal = new Portal(
                folder,
                settings -> new Web.Settings(
                        settings.host(),
                        0,
                        null,
                        null,
                        java.util.Set.of(),
                        null,
                        settings.logs(),
                        1_000,
                        20,
                        3,
                        600,
                        10,
                        30,
                        30,
                        75),
                web -> List.of(
                        Route.get("/breaks-off", call -> Future.succeededFuture(broken())),
                        Route.get("/live/late", call -> {
                            asked.add("");
                            call.context().request().connection().closeHandler(closed -> left.add(""));
                            return late.future()
                                    .map(since -> web.live()
                                            .follow(
                                                    call,
                                                    "late",
                                                    (caller, cursor) ->
                                                            Future.succeededFuture(new Live.Changes(List.of(), "1"))));
                        }),
                        Route.get(
                                "/live/numbers",
                                call -> Future.succeededFuture(web.live()
                                        .follow(
                                                call,
                                                "numbers",
                                                (caller, cursor) -> gate.map(open ->
                                                        new Live.Changes(List.of(), cursor + "." + newest.get())))))));
        clients = portal.vertx.createWebSocketClient(); // one that nobody holds is closed by the garbage collector
    }

    @AfterEach
    void close() {
        portal.close();
    }

    @Test
    void a_page_is_told_at_once_what_changed_since_its_cursor() throws Exception {
        var told = follow("ann", "5");

        assertThat(told.poll(5, TimeUnit.SECONDS)).isEqualTo("<live-cursor value=\"5.7\"></live-cursor>");
    }

    @Test
    void a_ring_tells_every_open_page() throws Exception {
        var ann = follow("ann", "5");
        var bob = follow("bob", "6");
        ann.poll(5, TimeUnit.SECONDS);
        bob.poll(5, TimeUnit.SECONDS);

        newest.set(8);
        portal.web.live().ring("other");
        portal.web.live().ring("numbers");

        assertThat(ann.poll(5, TimeUnit.SECONDS)).contains("5.7.8");
        assertThat(bob.poll(5, TimeUnit.SECONDS)).contains("6.7.8");
    }

    @Test
    void a_page_of_somebody_who_was_signed_out_is_closed_within_5_s() throws Exception {
        var closed = new CompletableFuture<Short>();
        var socket = socket("ann", portal.origin, "0");
        socket.closeHandler(ended -> closed.complete(socket.closeStatusCode()));

        portal.revoked.add("ann");

        assertThat(closed.get(5, TimeUnit.SECONDS)).isEqualTo((short) 4401);
    }

    @Test
    void after_the_farewell_to_somebody_who_was_signed_out_nothing_is_told() throws Exception {
        Promise<Void> slow = Promise.promise();
        gate = slow.future();
        try (var line = new Socket(InetAddress.getLoopbackAddress(), portal.port)) {
            line.setSoTimeout(10_000);
            line.getOutputStream().write(upgrade("/live/numbers?since=0"));
            var answer = line.getInputStream();
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) answer.read());
            }
            assertThat(head).startsWith("HTTP/1.1 101");
            portal.revoked.add("ann");
            assertThat(answer.read()).as("a close frame").isEqualTo(0x88);
            assertThat(answer.readNBytes(answer.read())).startsWith(4401 >> 8, 4401 & 0xff);

            slow.complete();

            line.setSoTimeout(500);
            assertThat(next(answer)).as("nothing, or the end").isIn(-1, NOTHING);
        }
    }

    private byte[] upgrade(String uri) {
        return String.join(
                        "\r\n",
                        "GET " + uri + " HTTP/1.1",
                        "Host: 127.0.0.1:" + portal.port,
                        "Origin: " + portal.origin,
                        "Cookie: sluice_session=ann",
                        "Connection: Upgrade",
                        "Upgrade: websocket",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Protocol: " + Live.SUBPROTOCOL,
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        "",
                        "")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void who_leaves_before_a_socket_is_opened_is_no_fault_of_ours() throws Exception {
        try (var faults = new Overheard(Errors.class, "/live/late")) {
            try (var line = new Socket(InetAddress.getLoopbackAddress(), portal.port)) {
                line.getOutputStream().write(upgrade("/live/late"));
                assertThat(asked.poll(5, TimeUnit.SECONDS)).isNotNull();
            }
            assertThat(left.poll(5, TimeUnit.SECONDS)).isNotNull();
            late.complete();
            assertThat(faults.next()).startsWith("FINE event=reader-gone");
        }
    }

    @Test
    void nobody_and_foreign_pages_get_no_socket() {
        assertThat(refusal("", portal.origin)).isEqualTo(401);
        for (String origin :
                List.of("https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:" + portal.port)) {
            assertThat(refusal("ann", origin)).as(origin).isEqualTo(403);
        }
    }

    private static Reply broken() {
        return Reply.stream(response -> Future.failedFuture(Problem.of(Problem.Kind.GONE, "It went away.")))
                .header("Content-Length", "1000000")
                .header("Content-Encoding", "identity")
                .header("Content-Disposition", "attachment")
                .header("ETag", "\"1\"");
    }

    @Test
    void an_answer_that_never_began_leaves_none_of_its_headers_to_the_refusal() {
        var answer = portal.get("/breaks-off", "Cookie", "sluice_session=ann");

        assertThat(answer.statusCode()).isEqualTo(410);
        assertThat(answer.bodyAsString()).contains("It went away.");
        assertThat(answer.headers().names())
                .doesNotContain("Content-Encoding", "Content-Disposition", "ETag", "Transfer-Encoding");
        assertThat(answer.getHeader("Content-Length"))
                .isEqualTo("" + answer.body().length());
    }

    @Test
    void a_user_can_not_open_sockets_without_end() {
        for (int i = 0; i < 3; i++) {
            socket("ann", portal.origin, "0");
        }

        assertThat(refusal("ann", portal.origin)).isEqualTo(429);
        assertThat(socket("bob", portal.origin, "0").isClosed()).isFalse();
    }

    @Test
    void a_socket_that_was_closed_is_no_connection_any_more() throws Exception {
        for (int i = 0; i < 50; i++) { // more than may be open at once from one address
            Portal.await(socket("user" + i, portal.origin, "0").close());
        }

        assertThat(refusal("bob", portal.origin)).isEqualTo(101);
    }

    @Test
    void sockets_that_come_together_are_counted_together() throws Exception {
        var answers = new ArrayList<CompletableFuture<Integer>>();
        for (int i = 0; i < 40; i++) {
            var answer = new CompletableFuture<Integer>();
            answers.add(answer);
            clients.connect(options("ann", portal.origin, "0"))
                    .onSuccess(opened -> answer.complete(101))
                    .onFailure(answer::completeExceptionally);
        }
        for (var answer : answers) {
            assertThat(answer.handle((opened, refused) -> refused == null).get(20, TimeUnit.SECONDS))
                    .isNotNull();
        }

        assertThat(answers.stream().filter(answer -> !answer.isCompletedExceptionally()))
                .hasSize(3);
    }

    @Test
    void an_opened_socket_stands_in_the_access_log() throws Exception {
        socket("ann", portal.origin, "0");

        Path log = folder.resolve("access.log");
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(log) || !Files.readString(log).contains("path=\"/live/numbers\" status=101")) {
            assertThat(System.nanoTime()).as("the line of the socket").isLessThan(until);
            Thread.onSpinWait();
        }
    }

    private static int next(InputStream answer) throws IOException {
        try {
            return answer.read();
        } catch (SocketTimeoutException e) {
            return NOTHING;
        }
    }

    private BlockingQueue<String> follow(String user, String cursor) {
        var told = new ArrayBlockingQueue<String>(100);
        Portal.await(clients.webSocket().textMessageHandler(told::add).connect(options(user, portal.origin, cursor)));
        return told;
    }

    private WebSocket socket(String user, String origin, String cursor) {
        return Portal.await(clients.connect(options(user, origin, cursor)));
    }

    private int refusal(String user, String origin) {
        var refused = new CompletableFuture<Integer>();
        clients.connect(options(user, origin, "0"))
                .onSuccess(opened -> refused.complete(101))
                .onFailure(failure -> refused.complete(((UpgradeRejectedException) failure).getStatus()));
        return refused.orTimeout(5, TimeUnit.SECONDS).join();
    }

    private WebSocketConnectOptions options(String user, String origin, String cursor) {
        return new WebSocketConnectOptions()
                .setHost("127.0.0.1")
                .setPort(portal.port)
                .setURI("/live/numbers?since=" + cursor)
                .setSubProtocols(List.of(Live.SUBPROTOCOL))
                .addHeader("Origin", origin)
                .addHeader("Cookie", "sluice_session=" + user);
    }
}
