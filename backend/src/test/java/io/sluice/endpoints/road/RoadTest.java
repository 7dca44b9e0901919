package io.sluice.endpoints.road;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.endpoints.Endpoints;
import io.sluice.endpoints.road.lines.Lines;
import io.sluice.endpoints.road.lines.LinesMetrics;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.endpoints.road.passes.Passes;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.sluice.web.Web;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who goes the short way, and what ends it at once: each alone, with all else as it was. */
class RoadTest {
    private static final Caller ANN = new Caller(7, "ann", false, Caller.Kind.SESSION, "s7", Set.of());
    private static final String ID = "aaaaaaaaaabbbbbbbbbb";
    private static final String OTHER = "ccccccccccdddddddddd";

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database =
            TestDatabase.with(vertx, List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS));
    private final CollectorRegistry registry = new CollectorRegistry();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<String> atPort = new AtomicReference<>(ID);
    private volatile Supplier<Excuse> excuse = () -> Excuse.of(Excuse.Kind.OFF);
    /** Whether the app says nothing, and hangs up. */
    private final AtomicBoolean breaks = new AtomicBoolean();

    private final AtomicReference<Boolean> allowed = new AtomicReference<>(true);
    /** What happens in the moment in which it is asked whose a port is. */
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    /** One connection, which the browser keeps. */
    private final HttpClientAgent browser = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(1));

    /** Of who was told why it is not open, whether they had a pass. */
    private final List<Boolean> guests = new CopyOnWriteArrayList<>();

    private volatile boolean silent;
    private HttpServer app;
    private HttpServer gateway;
    private Road road;
    private String cookie = "";

    private static final class Everybody implements Authenticator {
        @Override
        public Future<Verdict> authenticate(Credentials shown) {
            return Future.succeededFuture(Verdict.NOBODY);
        }

        @Override
        public Future<Boolean> stillValid(Caller caller) {
            return Future.succeededFuture(true);
        }
    }

    private static final class Edge implements Web.Stay, Web.Threshold {
        @Override
        public void begins() {}

        @Override
        public void ends() {}

        @Override
        public boolean isSecure(HttpServerRequest request) {
            return false;
        }

        @Override
        public String address(HttpServerRequest request) {
            return "127.0.0.1";
        }

        @Override
        public Buffer page(HttpServerRequest request, String template, Object page, String nonce) {
            return Buffer.buffer();
        }
    }

    /** Of endpoints with a port each, at which one is open. */
    @BeforeEach
    void open() {
        database.database().pool().query("""
                        INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, options, wanted, state)
                        VALUES ('%s', 1, 'ann', 'train', 'web', 'port', 'main', 0, '{}', true, 'ready')
                        """.formatted(ID)).execute().await();
        app = vertx.createHttpServer().requestHandler(request -> {
            asked.incrementAndGet();
            if (breaks.get()) {
                Road.end(request.connection().close());
            } else if (!silent) {
                Road.end(request.response().end("the app"));
            }
        });
        app.listen(0, "127.0.0.1").await();
        var edge = new Edge();
        gateway = vertx.createHttpServer()
                .connectionHandler(connection -> road.welcome(connection, edge))
                .requestHandler(request -> road.handle(request, edge));
        gateway.listen(0, "127.0.0.1").await();
        road = new Road(
                vertx,
                database.database(),
                new Everybody(),
                registry,
                Names.ports(gateway.actualPort(), gateway.actualPort()),
                (id, guest) -> {
                    guests.add(guest);
                    return Future.succeededFuture(excuse.get());
                },
                (caller, id) -> allowed.get(),
                port -> {
                    meanwhile.getAndSet(() -> {}).run();
                    return atPort.get();
                });
        opens();
        enter();
        assertThat(ask().statusCode()).isEqualTo(200);
        assertThat(ask().statusCode()).isEqualTo(200);
        assertThat(shortened()).isEqualTo(1);
        assertThat(asked).hasValue(2);
    }

    private void opens() {
        road.open(ID, SocketAddress.inetSocketAddress(app.actualPort(), "127.0.0.1"), Map.of(), false);
    }

    private void enter() {
        URI ticket = URI.create(road.ticket(ANN, ID, "http://portal.example", "http://" + host(), "/")
                .await());
        cookie = get(ticket.getRawPath() + "?" + ticket.getRawQuery(), "")
                .headers()
                .getAll("Set-Cookie")
                .getFirst()
                .replaceFirst(";.*", "");
    }

    @AfterEach
    void close() throws Exception {
        browser.close().await();
        road.close();
        database.close();
        vertx.close().await();
    }

    private String host() {
        return "127.0.0.1:" + gateway.actualPort();
    }

    private HttpClientResponse ask() {
        return get("/", cookie);
    }

    private HttpClientResponse get(String uri, String cookie) {
        var options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost("127.0.0.1")
                .setPort(gateway.actualPort())
                .setURI(uri);
        try {
            return browser.request(options)
                    .compose(request -> {
                        request.authority(HostAndPort.parseAuthority(host(), -1));
                        if (!cookie.isEmpty()) {
                            request.putHeader("Cookie", cookie);
                        }
                        var answered = request.response()
                                .compose(answer -> answer.end().map(answer));
                        return request.end().compose(sent -> answered);
                    })
                    .await(10, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private double shortened() {
        return registry.getSampleValue("sluice_endpoints_shortcuts_total");
    }

    private void refused(int status) {
        for (int i = 0; i < 2; i++) {
            assertThat(ask().statusCode()).isEqualTo(status);
        }
        assertThat(asked).hasValue(2);
        assertThat(shortened()).isEqualTo(1);
    }

    @Test
    void a_pass_that_is_given_back_opens_nothing_more() {
        road.leave(ID, token());
        refused(401);
    }

    @Test
    void a_port_that_is_another_endpoints_now_leads_to_no_other_app() {
        atPort.set(OTHER);
        refused(401);
    }

    @Test
    void a_port_that_is_nobodys_now_leads_nowhere() {
        atPort.set(null);
        refused(404);
    }

    @Test
    void a_caller_who_may_not_any_more_gets_no_further() {
        allowed.set(false);
        road.recheck(ID);
        refused(401);
    }

    @Test
    void all_who_may_not_any_more_are_found_by_one_look() {
        allowed.set(false);
        road.recheck();
        refused(401);
    }

    /** An exchange is over a moment after its answer has come. */
    private void nobodyIsThere() {
        while (!road.visited().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    /** By the usual way and by the short one. */
    @Test
    void a_check_is_no_use_of_an_endpoint() {
        assertThat(road.visited()).containsExactly(ID);
        enter();
        road.checks(token());
        ask(); // it comes on a connection that somebody else has used
        nobodyIsThere();
        for (int i = 0; i < 3; i++) {
            assertThat(ask().statusCode()).isEqualTo(200);
            assertThat(road.visited()).isEmpty();
        }
        enter();
        for (int i = 0; i < 3; i++) {
            assertThat(ask().statusCode()).isEqualTo(200);
            assertThat(road.visited()).containsExactly(ID);
        }
    }

    @Test
    void what_a_check_keeps_open_is_no_use_and_what_somebody_keeps_open_is() throws Exception {
        for (boolean checks : List.of(true, false)) {
            enter();
            if (checks) {
                road.checks(token());
            }
            silent = true;
            road.visited();
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), gateway.actualPort())) {
                int before = asked.get();
                socket.getOutputStream()
                        .write(("GET /long HTTP/1.1\r\nHost: " + host() + "\r\nCookie: " + cookie + "\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                while (asked.get() == before) {
                    Thread.onSpinWait();
                }
                road.visited();
                assertThat(road.visited()).isEqualTo(checks ? Set.of() : Set.of(ID));
            }
        }
    }

    @Test
    void an_app_that_is_closed_is_not_asked() {
        road.close(ID);
        refused(503);
    }

    @Test
    void another_life_of_the_app_is_asked_by_lines_of_its_own() {
        opens();
        assertThat(ask().statusCode()).isEqualTo(200);
        assertThat(shortened()).isEqualTo(1);
        assertThat(ask().statusCode()).isEqualTo(200);
        assertThat(shortened()).isEqualTo(2);
    }

    private String token() {
        return cookie.substring(cookie.indexOf('=') + 1);
    }

    /** Between the look at it and the first word to the app. */
    @Test
    void a_pass_that_is_taken_in_the_moment_in_which_it_is_shown_brings_no_answer() {
        meanwhile.set(() -> road.leave(ID, token()));
        assertThatThrownBy(this::ask).hasMessageContaining("closed");
        assertThat(shortened()).as("it was on the short way by then").isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_pass_that_is_taken_before_what_it_opens_has_begun_opens_nothing(boolean tunnel) throws Exception {
        var passes = new Passes(vertx, database.database(), new Everybody(), new CollectorRegistry());
        Pass pass = passes.find(ID, token(), caller -> true).await().orElseThrow();
        passes.leave(ID, token());
        var lines = new Lines(
                vertx,
                new LinesMetrics(new CollectorRegistry()),
                SocketAddress.inetSocketAddress(app.actualPort(), "127.0.0.1"));
        App there = App.of(ID, SocketAddress.inetSocketAddress(app.actualPort(), "127.0.0.1"), Map.of(), false, lines);
        var metrics = new RoadMetrics(new CollectorRegistry());
        var asker = new Headers.Asker("127.0.0.1", false, "127.0.0.1", 80, "http://127.0.0.1", "", "");
        Promise<Excuse.@Nullable Kind> over = Promise.promise();
        HttpServer late = vertx.createHttpServer()
                .requestHandler(request -> (tunnel
                                ? new Tunnels(vertx, metrics, new Everybody()).open(request, there, pass, asker)
                                : new Proxy(vertx, metrics, new Everybody())
                                        .exchange(request, there, pass, asker, false))
                        .onComplete(over));
        late.listen(0, "127.0.0.1").await();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), late.actualPort())) {
            socket.setSoTimeout(10_000);
            String upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n";
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: x\r\n" + (tunnel ? upgrade : "") + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
        }
        assertThat(over.future().await(10, TimeUnit.SECONDS)).isNull();
        assertThat(asked).hasValue(2);
        assertThat(pass.open).isEmpty();
        assertThat(there.open()).isEmpty();
        there.close();
        passes.close();
    }

    /** To ask why has the app looked at, and closed: that it would be starting again says nothing of what has been. */
    @ParameterizedTest
    @EnumSource(names = {"STARTING", "OFF", "FAILED", "ENDING", "ENDED"})
    void what_went_wrong_is_told_where_nothing_is_known_to_keep_the_app_away(Excuse.Kind known) {
        breaks.set(true);
        excuse = () -> {
            road.close(ID);
            return Excuse.of(known);
        };
        assertThat(ask().statusCode()).isEqualTo((known == Excuse.Kind.STARTING ? Excuse.Kind.BROKEN : known).status());
    }

    /** Who has no pass is not told what the app has printed. */
    @Test
    void a_stranger_hears_nothing_of_an_app_that_has_failed() {
        road.close(ID);
        excuse = () -> new Excuse(Excuse.Kind.FAILED, null, "a secret", false);
        assertThat(ask().statusCode()).isEqualTo(502);
        cookie = "";
        assertThat(ask().statusCode()).isEqualTo(401);
        assertThat(guests).containsExactly(true, false);
    }
}
