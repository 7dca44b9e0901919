package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.Database;
import io.sluice.database.TestDatabase;
import io.sluice.web.Authenticator.Credentials;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocket;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway here;
    private static Gateway there;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private Browser admin;
    private String name;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        here = Gateway.open(vertx, database.database());
        there = Gateway.open(
                vertx,
                Database.open(vertx, Database.Settings.of(here.data, database.url()))
                        .await());
    }

    @AfterAll
    static void close() {
        there.close();
        there.database.close().await();
        here.close();
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void somebody() {
        admin = here.browser().signIn("admin", Gateway.PASSWORD);
        name = "user" + NUMBER.incrementAndGet();
        var made = admin.post("/people", Map.of("name", name, "password", "first password", "admin", "true"));
        assertThat(made.statusCode()).isEqualTo(303);
    }

    private Browser signedIn() {
        return here.browser().signIn(name, "first password");
    }

    private static Browser withoutPass(Browser browser) {
        var copy = browser.copy();
        copy.cookies.remove("sluice_session");
        return copy;
    }

    private static void sql(String sql) {
        database.database().pool().query(sql).execute().await();
    }

    @Test
    void a_pass_that_is_over_is_replaced_without_a_word() {
        var browser = signedIn();
        String refresh = browser.cookie("sluice_refresh");
        browser.cookies.remove("sluice_session");
        assertThat(browser.get("/profile").statusCode()).isEqualTo(200);
        assertThat(browser.cookies.get("sluice_session")).isNotNull();
        assertThat(browser.cookies.get("sluice_refresh")).isNotEqualTo(refresh);
        browser.cookies.remove("sluice_session");
        assertThat(browser.at(there).get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void requests_beside_each_other_all_pass_and_all_get_the_same() {
        var browser = signedIn();
        List<Browser> windows = new ArrayList<>();
        List<Future<HttpResponse<Buffer>>> answers = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            var window = withoutPass(i % 2 == 0 ? browser : browser.at(there));
            windows.add(window);
            answers.add(window.send(HttpMethod.GET, "/profile", null, null));
        }
        Future.join(answers).await();
        assertThat(answers).allMatch(answer -> answer.result().statusCode() == 200);
        assertThat(windows.stream()
                        .map(window -> window.cookies.get("sluice_refresh"))
                        .distinct())
                .hasSize(1);
        assertThat(withoutPass(windows.getFirst()).get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void an_answer_that_was_lost_signs_nobody_out() {
        var browser = signedIn();
        assertThat(withoutPass(browser).get("/profile").statusCode()).isEqualTo(200);
        assertThat(withoutPass(browser).get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void cookies_of_the_same_name_that_others_have_set_sign_nobody_out() {
        var browser = signedIn();
        String own = Objects.requireNonNull(browser.cookies.get("sluice_session"));
        for (String tossed : List.of("x", "", "a.b.c", own.substring(2))) {
            browser.cookies.put("sluice_session", tossed + "; sluice_session=" + own);
            assertThat(browser.get("/profile").statusCode()).as(tossed).isEqualTo(200);
        }
        browser.cookies.put("sluice_session", "x");
        browser.cookies.put("sluice_refresh", "y; sluice_refresh=" + browser.cookies.get("sluice_refresh"));
        assertThat(browser.get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void a_copy_that_shows_up_late_ends_the_session_for_both() {
        var browser = signedIn();
        var thief = withoutPass(browser);
        browser.cookies.remove("sluice_session");
        assertThat(browser.get("/profile").statusCode()).isEqualTo(200);
        sql("UPDATE sessions SET rotated = rotated - interval '31 seconds'");
        thief.headers.set("Accept", "text/html");
        assertThat(thief.get("/profile").getHeader("Location")).isEqualTo("/sign-in?next=%2Fprofile");
        assertThat(thief.cookies).doesNotContainKey("sluice_refresh");
        assertThat(browser.get("/profile").statusCode()).isEqualTo(401);
        assertThat(browser.at(there).get("/profile").statusCode()).isEqualTo(401);
    }

    @Test
    void an_invented_refresh_token_ends_nothing() {
        var browser = signedIn();
        var stranger = withoutPass(browser);
        String session = browser.cookie("sluice_refresh").split("\\.")[0];
        for (String invented : List.of(
                session + "." + Signer.random(20) + "." + Signer.random(16),
                session + "..",
                "..",
                session,
                "x".repeat(5000),
                session + "." + Signer.random(20))) {
            stranger.cookies.put("sluice_refresh", invented);
            assertThat(stranger.get("/profile").statusCode()).isIn(400, 401);
        }
        assertThat(browser.get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void a_web_socket_that_turns_the_refresh_token_signs_nobody_out() {
        var browser = signedIn();
        var window = withoutPass(browser);
        var socket = window.follow("/live/people", told -> {}).await();
        window.keep(socket.headers().getAll("Set-Cookie"));
        socket.close().await();
        assertThat(window.cookies.get("sluice_refresh")).isNotEqualTo(browser.cookies.get("sluice_refresh"));
        sql("UPDATE sessions SET rotated = rotated - interval '31 seconds'");
        assertThat(withoutPass(window).get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void signing_out_ends_the_session_everywhere() {
        var browser = signedIn();
        assertThat(browser.at(there).get("/profile").statusCode()).isEqualTo(200);
        var kept = browser.copy();
        var out = browser.post("/sign-out", Map.of());
        assertThat(out.getHeader("Location")).isEqualTo("/sign-in");
        assertThat(browser.cookies).doesNotContainKeys("sluice_session", "sluice_refresh");
        assertThat(kept.get("/profile").statusCode()).isEqualTo(401);
        until(() -> kept.at(there).get("/profile").statusCode() == 401);
    }

    @Test
    void disabling_cuts_every_credential_on_both_gateways() {
        cut(() -> admin.post("/people/" + name + "/disable", Map.of()), 401);
    }

    @Test
    void deleting_cuts_every_credential_on_both_gateways() {
        cut(() -> admin.post("/people/" + name + "/delete", Map.of()), 401);
    }

    @Test
    void a_new_password_cuts_every_session_on_both_gateways() {
        cut(() -> admin.post("/people/" + name + "/reset", Map.of("password", "second password")), 200);
    }

    @Test
    void losing_the_role_cuts_every_stream_on_both_gateways() {
        var streams = streams(signedIn());
        assertThat(admin.post("/people/" + name + "/admin", Map.of("admin", "false"))
                        .statusCode())
                .isEqualTo(303);
        streams.forEach(SessionsTest::cutOff);
    }

    @Test
    void expiry_cuts_a_stream() {
        var streams = streams(signedIn());
        sql("UPDATE sessions SET expires = now() WHERE user_id = (SELECT id FROM users WHERE name = '" + name + "')");
        streams.forEach(SessionsTest::cutOff); // nobody rings: found at a look of its own
    }

    private List<Future<Integer>> streams(Browser browser) {
        return List.of(stream(browser), stream(browser.at(there)));
    }

    private static Future<Integer> stream(Browser browser) {
        Promise<Integer> closed = Promise.promise();
        Promise<Void> opened = Promise.promise();
        WebSocket socket =
                browser.follow("/live/people", told -> opened.tryComplete()).await();
        socket.closeHandler(end -> closed.tryComplete(Optional.ofNullable(socket.closeStatusCode())
                .map(Short::intValue)
                .orElse(0)));
        await(opened.future());
        return closed.future();
    }

    private static void cutOff(Future<Integer> stream) {
        assertThat(await(stream)).isEqualTo(4401);
    }

    private static <T> T await(Future<T> stream) {
        try {
            return stream.await(5, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new AssertionError("not within 5 s", e);
        }
    }

    private void cut(java.util.function.Supplier<HttpResponse<Buffer>> change, int tokenAfterwards) {
        var browser = signedIn();
        var streams = streams(browser);
        var login = here.browser();
        login.headers.set("Authorization", "Bearer " + login(login).getString("token"));
        var program = here.browser();
        program.headers.set(
                "Authorization",
                "Bearer "
                        + login.json(HttpMethod.POST, "/api/v2/tokens/application", new JsonObject())
                                .bodyAsJsonObject()
                                .getString("token"));
        for (Browser every : List.of(login, program, login.at(there), program.at(there))) {
            assertThat(every.get("/api/v2/tokens/check").statusCode()).isEqualTo(200);
        }
        assertThat(change.get().statusCode()).isEqualTo(303);
        long start = System.nanoTime();
        streams.forEach(SessionsTest::cutOff);
        for (Browser every : List.of(browser, browser.at(there), login, login.at(there))) {
            until(() -> every.get("/api/v2/tokens/check").statusCode() == 401);
        }
        until(() -> program.get("/api/v2/tokens/check").statusCode() == tokenAfterwards);
        until(() -> program.at(there).get("/api/v2/tokens/check").statusCode() == tokenAfterwards);
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }

    private JsonObject login(Browser browser) {
        return browser.json(
                        HttpMethod.POST,
                        "/api/v1/token",
                        new JsonObject().put("username", name).put("password", "first password"))
                .bodyAsJsonObject();
    }

    private static void until(java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within 5 s").isLessThan(end);
        }
    }

    private static Sessions.Standing someStanding() {
        return new Sessions.Standing(
                1, "li", false, Caller.Kind.SESSION, Set.of("*"), java.time.Instant.EPOCH, null, true);
    }

    @Test
    void while_the_database_is_away_nobody_is_signed_out_and_nobody_is_believed_for_long() {
        var standing = someStanding();
        var answer = new AtomicReference<>(Future.succeededFuture(Optional.of(standing)));
        var asked = new AtomicInteger();
        var clock = new AtomicLong();
        var cache = new SessionStore.Cache(
                credential -> {
                    asked.incrementAndGet();
                    return answer.get();
                },
                () -> clock.addAndGet(1));
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).contains(standing);
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).contains(standing);
        assertThat(asked).hasValue(1);
        answer.set(Future.failedFuture(new Database.Unavailable("away")));
        cache.forget();
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).contains(standing);
        assertThat(asked).hasValue(2);
        assertThat(cache.of("s:2", SessionStore.Cache.FRESH).failed()).isTrue();
        clock.addAndGet(TimeUnit.SECONDS.toNanos(4));
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).contains(standing);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).failed()).isTrue();
        answer.set(Future.succeededFuture(Optional.empty()));
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).isEmpty();
    }

    @Test
    void a_database_that_stands_still_is_not_waited_for_where_the_answer_was_known_a_moment_ago() {
        var standing = Optional.of(someStanding());
        var silent = Promise.<Optional<Sessions.Standing>>promise();
        var answer = new AtomicReference<>(Future.succeededFuture(standing));
        var clock = new AtomicLong();
        var cache = new SessionStore.Cache(credential -> answer.get(), () -> clock.addAndGet(1));
        cache.of("s:1", SessionStore.Cache.FRESH).await();
        answer.set(silent.future());
        clock.addAndGet(TimeUnit.SECONDS.toNanos(3));
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).isEqualTo(standing);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
        var old = cache.of("s:1", SessionStore.Cache.FRESH);
        assertThat(old.isComplete()).as("too long ago").isFalse();
        silent.complete(Optional.empty());
        assertThat(old.await()).isEmpty();
        assertThat(cache.of("s:1", SessionStore.Cache.FRESH).await()).isEmpty();
    }

    @Test
    void without_a_database_the_answer_is_unavailable_and_not_signed_out() {
        var browser = signedIn();
        var vanished = Gateway.open(
                vertx,
                Database.open(vertx, Database.Settings.of(here.data, database.url()))
                        .await());
        vanished.database.close().await();
        var answer = browser.at(vanished).get("/profile");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.cookies()).isEmpty();
        vanished.close();
    }

    @Test
    void over_tls_the_cookies_are_host_cookies() {
        var cookies = here.identity
                .authenticator()
                .authenticate(new Credentials(
                        null, null, withoutPass(signedIn()).cookies.get("sluice_refresh"), true, "127.0.0.1", ""))
                .await()
                .cookies();
        assertThat(cookies)
                .extracting(cookie -> cookie.getName())
                .containsExactly("__Host-sluice_session", "__Host-sluice_refresh");
        assertThat(cookies)
                .allMatch(cookie -> cookie.isSecure() && cookie.isHttpOnly() && "/".equals(cookie.getPath()));
    }
}
