package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way to Grafana, with a stand-in that records what reaches it: there is no package of Grafana for this machine. */
class GrafanaIT {
    private static final List<String> SPELLINGS = List.of(
            "X-WEBAUTH-USER",
            "x-webauth-user",
            "X-Webauth-User",
            "X_WEBAUTH_USER",
            "X-WEBAUTH_USER",
            "x_webauth-user",
            "X.WEBAUTH.USER",
            "XWEBAUTHUSER",
            "HTTP_X_WEBAUTH_USER",
            "X-WEBAUTH-ROLE",
            "X-WEBAUTH-GROUPS",
            "X-WEBAUTH-EMAIL",
            "X-WEBAUTH-ADMIN",
            "X-Grafana-User",
            "X-Grafana-Id",
            "X-JWT-Assertion",
            "X-Sluice-Grafana",
            "X-Remote-User",
            "Remote-User",
            "X-Forwarded-User",
            "X-Forwarded-For",
            "X-Real-IP",
            "Forwarded",
            "X-Original-URL",
            "X-Rewrite-URL",
            "X-HTTP-Method-Override",
            "X-DS-Authorization",
            "Proxy-Authorization");

    @TempDir
    private static Path folder;

    private static final Vertx VERTX = Vertx.vertx();
    /** One that nobody holds is closed by the garbage collector. */
    private static final WebSocketClient CLIENT = VERTX.createWebSocketClient();

    private static GrafanaStandIn grafana;
    private static HttpServer liar;
    /** What Prometheus answers. */
    private static volatile Consumer<HttpServerRequest> says =
            request -> request.response().setStatusCode(503).end();

    private static TestServer server;
    private static Crowd crowd;
    private static Person ann;
    private static Person boss;

    @BeforeAll
    static void start() throws InterruptedException {
        grafana = new GrafanaStandIn(VERTX);
        liar = VERTX.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> says.accept(request)))
                .listen(0, "127.0.0.1")
                .await();
        server = new TestServer(
                folder,
                "--simulate-devices",
                "2xH100",
                "--allow-shared-process-engine",
                "--prometheus",
                "http://127.0.0.1:" + liar.actualPort(),
                "--grafana",
                grafana.address());
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        ann = crowd.person("ann", false);
        boss = crowd.person("boss", true);
        String job = """
                {"jobName": "train", "image": "none", "taskRoles": [{"name": "main", "taskNumber": 1, "gpuNumber": 1, "cpuNumber": 1, "memoryMB": 100,
                 "command": "while true; do echo step; sleep 0.2; done"}]}
                """;
        var answer = as(ann).send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(answer.statusCode()).isEqualTo(202);
        until(() -> panel("").contains("<device-chart"));
    }

    @AfterAll
    static void stop() {
        as(ann).send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/ann~train/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        crowd.close();
        server.close();
        grafana.close();
        VERTX.close().await();
    }

    @BeforeEach
    void well() {
        grafana.health = GrafanaStandIn::well;
        grafana.forget();
    }

    private static Browser as(Person who) {
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(who));
        return browser;
    }

    private static String panel(String query) {
        return as(ann).get("/jobs/ann~train/panels/metrics?role=main&index=0" + query)
                .bodyAsString();
    }

    private static void until(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("too late").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static WebSocketConnectOptions live(Person who, String path) {
        return new WebSocketConnectOptions()
                .setAbsoluteURI(server.address().replace("http", "ws") + path)
                .setHeaders(MultiMap.caseInsensitiveMultiMap()
                        .add("Origin", server.address())
                        .add("Authorization", "Bearer " + crowd.bearer(who)));
    }

    private static WebSocket connect(WebSocketConnectOptions options) {
        return CLIENT.connect(options).await();
    }

    private static void assertSaysOnly(MultiMap headers, String user, String role) {
        assertThat(headers.getAll("X-WEBAUTH-USER")).containsExactly(user);
        assertThat(headers.getAll("X-WEBAUTH-ROLE")).containsExactly(role);
        for (var header : headers) {
            String plain = header.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
            assertThat(header.getValue()).as(header.getKey()).doesNotContain("evil");
            assertThat(plain)
                    .as("who somebody is comes from the gateway alone")
                    .isNotIn("cookie", "authorization", "xgrafanauser", "xforwardedfor", "forwarded", "xsluicegrafana");
        }
        assertThat(headers.names().stream()
                        .filter(name -> name.toLowerCase(Locale.ROOT)
                                .replaceAll("[^a-z]", "")
                                .contains("webauth")))
                .hasSize(3);
    }

    @Test
    void whoever_is_signed_in_is_named_by_the_gateway_in_whatever_spelling_a_browser_tries() {
        for (String spelling : SPELLINGS) {
            Browser browser = as(ann);
            browser.headers.add(spelling, "evil").add(spelling, "evil2");
            browser.cookies.put("grafana_session", "evil");
            browser.headers.add("Connection", "keep-alive, X-WEBAUTH-USER, X-WEBAUTH-ROLE");
            assertThat(browser.get("/grafana/api/org?x=1").statusCode())
                    .as(spelling)
                    .isEqualTo(404);
        }
        assertThat(grafana.received).hasSize(SPELLINGS.size());
        grafana.received.forEach(one -> assertSaysOnly(one.headers(), "ann", "Viewer"));
        assertThat(grafana.received.getFirst().uri()).isEqualTo("/grafana/api/org?x=1");
        grafana.forget();
        as(boss).get("/grafana/");
        assertSaysOnly(grafana.received.getFirst().headers(), "boss", "Editor");
    }

    @Test
    void an_upgrade_is_named_by_the_gateway_too() {
        for (String spelling : SPELLINGS) {
            var options = live(ann, "/grafana/api/live/ws");
            options.getHeaders().add(spelling, "evil").add("Cookie", "grafana_session=evil");
            var socket = connect(options);
            socket.close().await();
        }
        assertThat(grafana.received).hasSize(SPELLINGS.size());
        grafana.received.forEach(one -> {
            assertThat(one.upgrade()).isTrue();
            assertSaysOnly(one.headers(), "ann", "Viewer");
            assertThat(one.headers().contains("Origin"))
                    .as("the gateway has looked at it")
                    .isFalse();
        });
    }

    @Test
    void messages_go_both_ways_as_they_are_and_both_sides_end_together() throws Exception {
        BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
        int before = grafana.sockets.size();
        var socket = connect(live(ann, "/grafana/api/live/ws"));
        socket.textMessageHandler(heard::add);
        socket.binaryMessageHandler(heard::add);
        String large = "x".repeat(60_000);
        for (int at = 0; at < 50; at++) {
            socket.writeTextMessage("{\"id\":" + at + "}");
        }
        socket.writeTextMessage(large);
        socket.writeBinaryMessage(Buffer.buffer(new byte[] {0, 1, (byte) 200}));
        List<Object> all = new ArrayList<>();
        while (all.size() < 52) {
            all.add(heard.poll(20, TimeUnit.SECONDS));
        }
        assertThat(all.get(49)).isEqualTo("{\"id\":49}");
        assertThat(all.get(50)).isEqualTo(large);
        assertThat(all.get(51)).isEqualTo(Buffer.buffer(new byte[] {0, 1, (byte) 200}));
        until(() -> grafana.sockets.size() == before + 1);
        grafana.sockets.getLast().close();
        until(socket::isClosed);
        var second = connect(live(ann, "/grafana/api/live/ws"));
        until(() -> grafana.sockets.size() == before + 2);
        second.close();
        until(() -> grafana.sockets.getLast().isClosed());
        until(() -> as(boss).get("/metrics").bodyAsString().contains("sluice_telemetry_grafana_sockets 0.0"));
    }

    @Test
    void a_socket_ends_when_whoever_opened_it_may_no_longer_be_here() throws Exception {
        Person leaving = crowd.person("leaving", false);
        var socket = connect(live(leaving, "/grafana/api/live/ws"));
        crowd.disable(leaving);
        until(socket::isClosed);
        until(() -> grafana.sockets.getLast().isClosed());
    }

    @Test
    void no_stranger_and_no_page_of_a_stranger_reaches_grafana() {
        assertThat(crowd.browser().get("/grafana/api/org").statusCode()).isEqualTo(401);
        Browser program = crowd.browser();
        program.headers.set("Authorization", "Bearer " + ann.program());
        assertThat(program.get("/grafana/api/org").statusCode()).isEqualTo(403);
        var nobody = live(ann, "/grafana/api/live/ws");
        nobody.getHeaders().remove("Authorization");
        var foreign = live(ann, "/grafana/api/live/ws");
        foreign.getHeaders().set("Origin", "https://evil.example");
        for (var options : List.of(nobody, foreign)) {
            assertThatThrownBy(() -> connect(options)).isInstanceOf(UpgradeRejectedException.class);
        }
        for (String path :
                List.of("/grafana/../api/v2/users", "/grafana/%2e%2e/metrics", "/grafana//evil", "/grafana/a;b")) {
            assertThat(as(ann).get(path).statusCode()).as(path).isIn(400, 404);
        }
        assertThat(grafana.received).isEmpty();
        for (var options : List.of(live(ann, "/grafana/api/other/ws"), live(ann, "/grafana/d/x"))) {
            assertThatThrownBy(() -> connect(options)).isInstanceOf(UpgradeRejectedException.class);
        }
        assertThat(grafana.received).as("asked for as any page is").noneMatch(GrafanaStandIn.Received::upgrade);
    }

    @Test
    void what_grafana_answers_comes_without_its_cookies_and_may_stand_in_our_pages_alone() {
        var page = as(ann).get("/grafana/d/sluice-job/job?theme=dark");
        assertThat(page.bodyAsString()).contains("Stand-in");
        assertThat(page.cookies()).noneMatch(cookie -> cookie.contains("grafana"));
        assertThat(page.getHeader("X-Frame-Options")).isEqualTo("SAMEORIGIN");
        assertThat(page.headers().getAll("Content-Security-Policy")).hasSize(1);
        assertThat(page.getHeader("Content-Security-Policy"))
                .contains("frame-ancestors 'self'", "connect-src 'self'")
                .doesNotContain("*");
        assertThat(page.headers().contains("X-WEBAUTH-USER")).isFalse();
        assertThat(as(ann).get("/grafana/logout").getHeader("Location")).isEqualTo("/grafana/");
        assertThat(as(ann).get("/grafana/moved").getHeader("Location")).isEqualTo("/grafana/d/sluice-job?x=1");
        assertThat(as(ann).get("/grafana").getHeader("Location")).isEqualTo("/grafana/");
        var file = as(ann).get("/grafana/public/build/app.js");
        assertThat(file.body().getBytes()).isEqualTo(GrafanaStandIn.FILE);
        assertThat(file.getHeader("Cache-Control")).isEqualTo("public, max-age=3600");
        assertThat(page.getHeader("Cache-Control")).isEqualTo("no-store");
        var asked = as(ann).send(
                        HttpMethod.POST, "/grafana/api/ds/query", "application/json", Buffer.buffer("{\"queries\":[]}"))
                .await();
        assertThat(asked.bodyAsString()).isEqualTo("{\"results\":{}}");
        assertThat(grafana.received.getLast().body()).isEqualTo("{\"queries\":[]}");
        assertThat(as(ann).get("/jobs").getHeader("Content-Security-Policy")).contains("frame-src 'self'");
    }

    @Test
    void the_panel_offers_the_switch_and_grafanas_panels_follow_job_time_and_language() {
        String builtIn = panel("");
        assertThat(builtIn).contains("<device-chart", "charts=grafana").doesNotContain("<grafana-board");
        String board = panel("&charts=grafana");
        assertThat(board)
                .contains("<grafana-board src=\"/grafana/d/sluice-job/job?", "var-job=ann%7Etrain", "&amp;to=now")
                .contains("lang=en-US", "refresh=15s")
                .doesNotContain("<device-chart");
        assertThat(panel("&charts=grafana&from=1700000000000&to=1700000060000"))
                .contains("&amp;from=1700000000000&amp;to=1700000060000")
                .doesNotContain("refresh=");
        Browser chinese = as(ann);
        chinese.headers.set("Accept-Language", "zh-CN");
        assertThat(chinese.get("/jobs/ann~train/panels/metrics?role=main&index=0&charts=grafana")
                        .bodyAsString())
                .contains("lang=zh-Hans");
        assertThat(as(ann).get("/jobs/ann~train/panels/metrics?charts=grafana&from=x&to=y")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void where_grafana_is_not_well_the_built_in_charts_stand_in_and_say_so() throws Exception {
        for (var mood : List.<Consumer<HttpServerRequest>>of(
                request -> request.response().setStatusCode(503).end("{\"database\":\"failing\"}"),
                request -> request.response().end("<html>ok</html>"),
                request -> request.response().setChunked(true).write(Buffer.buffer(new byte[8 << 20])),
                request -> {},
                request -> request.connection().close())) {
            grafana.health = mood;
            until(() -> panel("&charts=grafana").contains("Grafana does not answer"));
            assertThat(panel("&charts=grafana")).contains("<device-chart").doesNotContain("<grafana-board");
            grafana.health = GrafanaStandIn::well;
            until(() -> panel("&charts=grafana").contains("<grafana-board"));
        }
    }

    @Test
    void a_prometheus_that_lies_is_told_as_one_that_does_not_answer() {
        String mine = "query="
                + URLEncoder.encode(
                        "max by (job_id, task_id) (sluice_task_memory_bytes{job_id=\"ann~train\"})",
                        StandardCharsets.UTF_8);
        for (var lie : List.<Consumer<HttpServerRequest>>of(
                request -> request.response()
                        .putHeader("Content-Type", "text/html")
                        .end("<html>busy</html>"),
                request -> request.response()
                        .setStatusCode(404)
                        .putHeader("Content-Type", "text/html")
                        .end("no"),
                request -> request.response()
                        .setStatusCode(500)
                        .putHeader("Content-Type", "application/json")
                        .end("{\"status\":\"success\"}"),
                request -> endless(request.response()
                        .putHeader("Content-Type", "application/json")
                        .setChunked(true)),
                request -> request.connection().close())) {
            says = lie;
            for (String user : List.of("ann", "boss")) {
                var answer = asGrafana(user).get("/prometheus/api/v1/query?" + mine);
                assertThat(answer.statusCode()).isEqualTo(503);
                assertThat(answer.bodyAsJsonObject().getString("status")).isEqualTo("error");
            }
        }
        says = request -> request.response()
                .setStatusCode(422)
                .putHeader("Content-Type", "application/json")
                .end("{\"status\":\"error\",\"error\":\"duplicate series {job_id=\\\"bob~secret\\\"}\"}");
        assertThat(asGrafana("ann").get("/prometheus/api/v1/query?" + mine).bodyAsString())
                .doesNotContain("bob~secret");
        assertThat(asGrafana("boss").get("/prometheus/api/v1/query?" + mine).bodyAsString())
                .contains("bob~secret");
    }

    private static void endless(HttpServerResponse response) {
        Buffer piece = Buffer.buffer(new byte[1 << 20]);
        while (!response.closed() && !response.writeQueueFull()) {
            response.write(piece);
        }
        if (!response.closed()) {
            response.drainHandler(more -> endless(response));
        }
    }

    private static Browser asGrafana(String user) {
        Browser browser = crowd.browser();
        browser.headers.set("X-Sluice-Grafana", TestServer.GRAFANA_TOKEN).set("X-Grafana-User", user);
        return browser;
    }
}
