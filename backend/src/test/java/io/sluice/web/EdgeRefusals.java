package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is refused before any room hears of it. */
@Timeout(value = 30, unit = TimeUnit.SECONDS)
abstract class EdgeRefusals {
    static final String HTML = "text/html,application/xhtml+xml";

    @TempDir
    static Path folder;

    static Portal portal;

    /** Answers that are ready only when nobody is there any more. */
    static final BlockingQueue<Thread> beingDrawn = new LinkedBlockingQueue<>();

    @BeforeAll
    static void open() {
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
                        1_000,
                        3,
                        100_000,
                        3,
                        2,
                        2,
                        75),
                web -> List.of(
                        Route.get(
                                        "/api/v2/echo",
                                        call -> Future.succeededFuture(Reply.json(Map.of("address", call.address()))))
                                .forAnyone(),
                        Route.post("/api/v2/echo", call -> Future.succeededFuture(Reply.json(call.input())))
                                .forAnyone()
                                .bodyLimit(1_000),
                        Route.post(
                                        "/api/v2/named",
                                        call -> Future.succeededFuture(
                                                Reply.json(call.field("name").orElse("nobody"))))
                                .forAnyone(),
                        Route.post("/change", call -> Future.succeededFuture(Reply.seeOther("/done"))),
                        Route.get("/broken", call -> Future.failedFuture(new IllegalStateException("a secret detail")))
                                .forAnyone(),
                        Route.get("/thrown", call -> {
                                    throw new IllegalStateException("a secret detail");
                                })
                                .forAnyone(),
                        Route.get(
                                        "/drawn",
                                        call -> Future.future(drawn -> {
                                            beingDrawn.add(Thread.currentThread());
                                            call.context()
                                                    .request()
                                                    .connection()
                                                    .closeHandler(closed -> drawn.complete(Reply.text("too late")));
                                        }))
                                .forAnyone(),
                        Route.get("/slow", call -> Promise.<Reply>promise().future())
                                .forAnyone(),
                        Route.get(
                                "/mine",
                                call -> Future.succeededFuture(
                                        Reply.text(call.caller().name()))),
                        Route.get("/admin", call -> Future.succeededFuture(Reply.text("admin")))
                                .forAdmins()));
    }

    @AfterAll
    static void close() {
        portal.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a//b",
                "/a/../healthz",
                "/./healthz",
                "/a/%2e%2e/healthz",
                "/%2E/healthz",
                "/a%2fb",
                "/a%2Fb",
                "/a%5cb",
                "/a\\b",
                "/healthz;x=1",
                "/a%3bb",
                "/a%00b",
                "/a%0d%0ab",
                "/a%252fb",
                "/.."
            })
    void a_path_that_can_be_read_in_two_ways_is_refused(String path) throws IOException {
        assertThat(portal.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello",
                "GET / HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
                "NONSENSE\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
                "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET http://evil.example/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: x:99999\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: <script>alert(1)</script>\r\n\r\n"
            })
    void a_request_that_two_servers_could_read_differently_is_refused(String bytes) throws IOException {
        String answer = portal.raw(bytes);

        assertThat(answer)
                .matches("(?s)HTTP/1\\.[01] 400 .*")
                .containsIgnoringCase("content-security-policy")
                .contains("\"code\"");
        assertThat(answer.split("HTTP/1\\.[01] \\d{3} ", -1))
                .as("one answer only")
                .hasSize(2);
    }

    @Test
    void a_header_of_64_kib_is_refused() throws IOException {
        assertThat(portal.raw("GET / HTTP/1.1\r\nHost: x\r\nX: " + "a".repeat(65_536) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 4");
    }

    @Test
    void a_change_from_a_foreign_page_is_refused() {
        for (String origin : List.of(
                "https://evil.example",
                "null",
                "http://127.0.0.1:1",
                portal.origin + ".evil.example",
                "http://evil.example:" + portal.port)) {
            assertThat(portal.post("/change", "", "Cookie", "sluice_session=ann", "Origin", origin)
                            .statusCode())
                    .as(origin)
                    .isEqualTo(403);
        }
    }

    @Test
    void a_change_with_a_cookie_and_no_word_of_where_it_comes_from_is_refused() {
        assertThat(portal.post("/change", "", "Cookie", "sluice_session=ann").statusCode())
                .isEqualTo(403);
        assertThat(portal.post("/change", "", "Cookie", "sluice_session=ann", "Sec-Fetch-Site", "same-site")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void a_change_from_our_own_page_passes() {
        assertThat(portal.post("/change", "", "Cookie", "sluice_session=ann", "Origin", portal.origin)
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void a_method_override_changes_nothing() {
        assertThat(portal.get("/change", "X-HTTP-Method-Override", "POST", "Cookie", "sluice_session=ann")
                        .statusCode())
                .isIn(404, 405);
    }

    @Test
    void a_body_over_the_limit_is_refused() {
        var answer = portal.post("/api/v2/echo", "x".repeat(1_001));

        assertThat(answer.statusCode()).isEqualTo(413);
        assertThat(answer.bodyAsJsonObject().getString("message")).contains("1000 bytes");
    }

    @Test
    void a_body_that_does_not_arrive_is_given_up() throws IOException {
        assertThat(portal.raw(
                        "POST /api/v2/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nConnection: close\r\n\r\nhalf"))
                .startsWith("HTTP/1.1 504");
    }

    @Test
    void broken_json_is_told_with_its_place() {
        var answer = portal.post("/api/v2/echo", "{\"a\":\n 1,}", "Content-Type", "application/json");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.bodyAsJsonObject().getString("message")).contains("line 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%zz", "a=%", "a=%00", "%00=a"})
    void a_form_that_can_not_be_decoded_is_told_of(String form) {
        var answer = portal.post("/api/v2/echo", form, "Content-Type", "application/x-www-form-urlencoded");

        assertThat(answer.statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"a\":\"\\u0000\"}", "{\"a\":{\"b\":[\"\\u0000\"]}}", "{\"\\u0000\":1}"})
    void a_nul_is_refused_before_the_database_does(String body) {
        assertThat(portal.post("/api/v2/echo", body).statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v2/echo?a=%zz", "/api/v2/echo?a=%00", "/api/v2/echo?%", "/api/v2/%zz"})
    void an_address_that_can_not_be_decoded_is_refused_in_our_words(String address) throws IOException {
        assertThat(portal.raw("GET " + address + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 400")
                .contains("InvalidParametersError");
    }

    @Test
    void a_header_sent_byte_by_byte_is_cut_off() throws IOException {
        try (Socket socket = portal.socket()) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHo".getBytes(StandardCharsets.ISO_8859_1));
            assertThat(socket.getInputStream().read())
                    .as("closed by the gateway")
                    .isEqualTo(-1);
        }
    }

    @Test
    void a_second_header_sent_byte_by_byte_is_cut_off_too(@TempDir Path logs) throws IOException {
        try (var brief = new Portal(logs, EdgeRefusals::brief, web -> List.of());
                Socket socket = brief.socket()) {
            socket.setSoTimeout(250);
            var out = socket.getOutputStream();
            out.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nX: "
                    .getBytes(StandardCharsets.ISO_8859_1));

            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1))
                    .isEqualTo("HTTP/1.1 200");
            assertThat(isClosedWhileFed(socket)).isTrue();
        }
    }

    static Web.Settings brief(Web.Settings usual) {
        return new Web.Settings(
                usual.host(), 0, null, null, java.util.Set.of(), null, usual.logs(), 10, 10, 3, 2, 30, 30, 30, 2);
    }

    /** A byte now and then keeps the socket busy, so that its own idle limit never comes. */
    static boolean isClosedWhileFed(Socket socket) {
        boolean open = true;
        while (open && !Thread.currentThread().isInterrupted()) {
            open = takesAnotherByte(socket);
        }
        return !open;
    }

    static boolean takesAnotherByte(Socket socket) {
        try {
            socket.getOutputStream().write('a');
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException silent) {
            return true;
        } catch (IOException closed) {
            return false;
        }
    }
}
