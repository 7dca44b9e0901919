package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.Doorbell;
import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.client.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProfileTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private String name;
    private Browser me;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database(), Gateway.PASSWORD, Set.of("127.0.0.1"));
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void somebody() {
        name = "person" + NUMBER.incrementAndGet();
        var made = gateway.browser()
                .signIn("admin", Gateway.PASSWORD)
                .post("/people", Map.of("name", name, "password", "first password"));
        assertThat(made.statusCode()).isEqualTo(303);
        me = gateway.browser().signIn(name, "first password");
    }

    private static void sql(String sql) {
        database.database().pool().query(sql).execute().await();
    }

    private HttpResponse<Buffer> password(String current, String fresh, String again) {
        return me.post("/profile/password", Map.of("current", current, "password", fresh, "again", again));
    }

    private static String found(HttpResponse<Buffer> answer, String pattern) {
        var found = Pattern.compile(pattern).matcher(answer.bodyAsString());
        assertThat(found.find()).as(pattern).isTrue();
        return found.group(1);
    }

    private static Browser program(String token) {
        var program = gateway.browser();
        program.headers.set("Authorization", "Bearer " + token);
        return program;
    }

    private String token(String scopes, String days) {
        var made = me.post("/profile/tokens", Map.of("name", "nightly", "scopes", scopes, "days", days));
        assertThat(made.statusCode()).isEqualTo(201);
        return found(made, "(sluice_[0-9a-f]{40})");
    }

    @Test
    void a_new_password_ends_the_other_sessions_and_keeps_this_one() {
        var elsewhere = gateway.browser().signIn(name, "first password");
        assertThat(password("wrong password", "second password", "second password")
                        .statusCode())
                .isEqualTo(422);
        assertThat(password("first password", "second password", "another one").statusCode())
                .isEqualTo(422);
        assertThat(password("first password", "short", "short").statusCode()).isEqualTo(422);
        assertThat(password("first password", "first password", "first password")
                        .statusCode())
                .isEqualTo(422);
        assertThat(password("first password", "second password", "second password")
                        .statusCode())
                .isEqualTo(303);
        assertThat(me.get("/profile").bodyAsString()).contains("Your password is changed");
        assertThat(elsewhere.get("/profile").statusCode()).isEqualTo(401);
        gateway.browser().signIn(name, "second password");
    }

    @Test
    void who_stole_a_session_can_not_guess_the_password_behind_it() {
        for (int i = 0; i < SignIn.PER_ACCOUNT; i++) {
            assertThat(password("guess " + i, "second password", "second password")
                            .statusCode())
                    .isEqualTo(422);
        }
        assertThat(password("first password", "second password", "second password")
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void a_token_is_shown_once_and_does_what_was_ticked() {
        String token = token("users:read", "30");
        assertThat(me.get("/profile").bodyAsString()).contains("nightly").doesNotContain(token);
        assertThat(me.get("/profile/tokens").getHeader("Location")).isEqualTo("/profile");
        assertThat(program(token).get("/api/v2/users/" + name).statusCode()).isEqualTo(200);
        String other = token("jobs:read", "30");
        var refused = program(other).get("/api/v2/users/" + name);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.bodyAsJsonObject().getString("message")).contains("users:read");
    }

    @Test
    void every_scope_opens_its_own_and_no_account_route() {
        for (String scope : Identity.SCOPES) {
            var program = program(token(scope, "7"));
            assertThat(program.get("/api/v2/users").statusCode())
                    .as(scope)
                    .isEqualTo(scope.equals("users:read") ? 200 : 403);
            for (String path : List.of("/profile", "/people", "/api/v2/tokens")) {
                assertThat(program.get(path).statusCode())
                        .as(scope + " " + path)
                        .isEqualTo(403);
            }
            for (String path : List.of("/api/v2/tokens/application", "/profile/tokens", "/profile/keys")) {
                assertThat(program.post(path, Map.of()).statusCode())
                        .as(scope + " " + path)
                        .isEqualTo(403);
            }
            assertThat(program.send(HttpMethod.PUT, "/api/v2/users/me", "application/json", Buffer.buffer("{}"))
                            .await()
                            .statusCode())
                    .isEqualTo(403);
        }
    }

    @Test
    void metrics_are_for_an_administrators_token_that_may_read_them() {
        me = gateway.browser().signIn("admin", Gateway.PASSWORD);
        var may = program(token("metrics:read", "7"));
        var mayNot = program(token("jobs:read", "7"));
        for (Browser browser : List.of(may, mayNot)) {
            browser.headers.set("X-Forwarded-For", "198.51.100.7");
        }
        assertThat(may.get("/metrics").bodyAsString()).contains("sluice_identity_sign_ins_total");
        assertThat(mayNot.get("/metrics").statusCode()).isEqualTo(401);
    }

    @Test
    void a_token_ends_by_its_time_and_by_being_revoked() {
        String token = token("users:read", "7");
        assertThat(program(token).get("/api/v2/users").statusCode()).isEqualTo(200);
        String id = found(me.get("/profile"), "/profile/tokens/(\\d+)/revoke");
        var other = gateway.browser().signIn("admin", Gateway.PASSWORD);
        assertThat(other.post("/profile/tokens/" + id + "/revoke", Map.of()).statusCode())
                .isEqualTo(404);
        assertThat(me.post("/profile/tokens/" + id + "/revoke", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(program(token).get("/api/v2/users").statusCode()).isEqualTo(401);
        String forever = token("users:read", "0");
        assertThat(program(forever).get("/api/v2/users").statusCode()).isEqualTo(200);
        sql("WITH ended AS (UPDATE application_tokens SET expires = now() RETURNING id) SELECT "
                + Doorbell.ringing(PeopleStore.CREDENTIALS) + " FROM ended");
        until(() -> program(forever).get("/api/v2/users").statusCode() == 401);
    }

    private static void until(java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    @Test
    void when_a_token_was_last_used_is_seen() {
        String token = token("users:read", "7");
        assertThat(me.get("/profile").bodyAsString()).contains("Never used");
        program(token).get("/api/v2/users");
        until(() -> me.get("/profile").bodyAsString().contains("Last used"));
    }

    @Test
    void tokens_that_do_not_fit_are_refused() {
        for (var wrong : List.of(
                Map.of("name", "", "scopes", "jobs:read", "days", "7"),
                Map.of("name", "x".repeat(61), "scopes", "jobs:read", "days", "7"),
                Map.of("name", "x", "days", "7"),
                Map.of("name", "x", "scopes", "*", "days", "7"),
                Map.of("name", "x", "scopes", "users:write", "days", "7"),
                Map.of("name", "x", "scopes", "jobs:read", "days", "8"))) {
            assertThat(me.post("/profile/tokens", wrong).statusCode())
                    .as(wrong.toString())
                    .isEqualTo(422);
        }
        sql(
                "INSERT INTO application_tokens (user_id, name, hash, scopes) SELECT id, 'many', sha256((id || '-' || n)::bytea), '{}'"
                        + " FROM users, generate_series(1, 50) n WHERE name = '" + name + "'");
        var full = me.post("/profile/tokens", Map.of("name", "one more", "scopes", "jobs:read", "days", "7"));
        assertThat(full.statusCode()).isEqualTo(422);
    }

    @Test
    void keys_are_added_shown_and_removed() {
        var added = me.post("/profile/keys", Map.of("key", Crowd.KEY));
        assertThat(added.getHeader("Location")).isEqualTo("/profile#keys");
        String page = me.get("/profile").bodyAsString();
        assertThat(page).contains("li@laptop", "ssh-ed25519 SHA256:");
        assertThat(me.post("/profile/keys", Map.of("key", Crowd.KEY)).statusCode())
                .isEqualTo(422);
        String secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----";
        var refused = me.post("/profile/keys", Map.of("key", secret));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.bodyAsString()).doesNotContain("c2VjcmV0");
        String id = found(me.get("/profile"), "/profile/keys/(\\d+)/remove");
        assertThat(gateway.browser()
                        .signIn("admin", Gateway.PASSWORD)
                        .post("/profile/keys/" + id + "/remove", Map.of())
                        .statusCode())
                .isEqualTo(404);
        assertThat(me.post("/profile/keys/" + id + "/remove", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(me.get("/profile").bodyAsString()).doesNotContain("SHA256:");
    }

    @Test
    void sessions_are_listed_and_ended() {
        var elsewhere = gateway.browser().signIn(name, "first password");
        String page = me.get("/profile").bodyAsString();
        assertThat(page).contains("Firefox on Linux", "This browser");
        String id = found(me.get("/profile"), "/profile/sessions/([A-Za-z0-9_-]+)/end");
        assertThat(gateway.browser()
                        .signIn("admin", Gateway.PASSWORD)
                        .post("/profile/sessions/" + id + "/end", Map.of())
                        .statusCode())
                .isEqualTo(404);
        assertThat(me.post("/profile/sessions/" + id + "/end", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(elsewhere.get("/profile").statusCode()).isEqualTo(401);
        assertThat(me.get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void browsers_are_named_in_short() {
        assertThat(
                        ProfileRoutes.inShort(
                                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0"))
                .isEqualTo("Edge on Windows");
        assertThat(
                        ProfileRoutes.inShort(
                                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1 Version/18.5 Mobile Safari/604.1"))
                .isEqualTo("Safari on iPhone");
        assertThat(ProfileRoutes.inShort("curl/8.14.1")).isEqualTo("curl/8.14.1");
        assertThat(ProfileRoutes.inShort("")).isEqualTo("?");
    }
}
