package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SignInTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static Gateway behindProxy;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private String name;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
        behindProxy = Gateway.open(vertx, database.database(), null, Set.of("127.0.0.1"));
    }

    @AfterAll
    static void close() {
        behindProxy.close();
        gateway.close();
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void somebody() {
        sql("DELETE FROM sign_in_tries");
        name = "person" + NUMBER.incrementAndGet();
        String hash = new Passwords(vertx, Gateway.QUICK, new Identity.Metrics(new CollectorRegistry()))
                .hash("right password")
                .await();
        new PeopleStore(database.database()).add(name, "", hash, false).await();
    }

    private static void sql(String sql) {
        database.database().pool().query(sql).execute().await();
    }

    private static HttpResponse<Buffer> tryOnce(Browser browser, String name, String password) {
        return browser.post("/sign-in", Map.of("name", name, "password", password));
    }

    @Test
    void who_signs_in_sees_the_page_that_was_asked_for() {
        var browser = gateway.browser();
        assertThat(browser.get("/people").statusCode()).isEqualTo(401);
        browser.headers.set("Accept", "text/html");
        assertThat(browser.get("/people").getHeader("Location")).isEqualTo("/sign-in?next=%2Fpeople");
        assertThat(browser.get("/sign-in?next=%2Fpeople").bodyAsString()).contains("value=\"/people\"");
        var entered =
                browser.post("/sign-in", Map.of("name", "admin", "password", Gateway.PASSWORD, "next", "/people"));
        assertThat(entered.statusCode()).isEqualTo(303);
        assertThat(entered.getHeader("Location")).isEqualTo("/people");
        assertThat(entered.cookies())
                .allMatch(cookie -> cookie.contains("HTTPOnly") && cookie.contains("SameSite=Lax"));
        assertThat(browser.get("/people").bodyAsString()).contains("admin");
        assertThat(browser.get("/sign-in?next=/profile").getHeader("Location")).isEqualTo("/profile");
    }

    @Test
    void who_signed_in_was_seen_even_if_they_do_nothing_more() {
        gateway.browser().signIn(name, "right password");

        assertThat(new PeopleStore(database.database())
                        .named(name)
                        .await()
                        .orElseThrow()
                        .lastSeen())
                .isNotNull();
    }

    @Test
    void a_name_may_be_written_in_capitals() {
        assertThat(tryOnce(gateway.browser(), name.toUpperCase(java.util.Locale.ROOT), "right password")
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void known_and_unknown_names_are_refused_alike() {
        var known = tryOnce(gateway.browser(), name, "wrong password");
        var unknown = tryOnce(gateway.browser(), "nobody", "wrong password");
        var disabled = gateway.browser();
        sql("UPDATE users SET disabled = true WHERE name = '" + name + "'");
        assertThat(known.statusCode()).isEqualTo(422);
        assertThat(plain(unknown).replace("nobody", name)).isEqualTo(plain(known));
        assertThat(plain(tryOnce(disabled, name, "wrong password"))).isEqualTo(plain(known));
        assertThat(known.cookies()).isEmpty();
    }

    private static String plain(HttpResponse<Buffer> answer) {
        return answer.bodyAsString().replaceAll("(nonce|content)=\"[^\"]*\"", "");
    }

    @Test
    void a_disabled_person_does_not_get_in() {
        sql("UPDATE users SET disabled = true WHERE name = '" + name + "'");
        assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                .isEqualTo(422);
        assertThat(tryOnce(gateway.browser(), name, "right password").bodyAsString())
                .contains("account is disabled");
        assertThat(tryOnce(gateway.browser(), name, "wrong password").bodyAsString())
                .doesNotContain("account is disabled");
        var api = gateway.browser().json(HttpMethod.POST, "/api/v1/token", login(name, "right password"));
        assertThat(api.statusCode()).isEqualTo(403);
        assertThat(api.bodyAsJsonObject().getString("code")).isEqualTo("ForbiddenUserError");
    }

    private static JsonObject login(String name, String password) {
        return new JsonObject().put("username", name).put("password", password);
    }

    @Test
    void a_thousand_tries_from_addresses_that_are_claimed_only_are_stopped_after_ten() {
        List<Future<HttpResponse<Buffer>>> tries = new ArrayList<>();
        List<Browser> liars =
                java.util.stream.Stream.generate(gateway::browser).limit(50).toList();
        for (int i = 0; i < 1_000; i++) {
            var liar = liars.get(i % 50);
            liar.headers.set("X-Forwarded-For", "203.0.113." + i % 50);
            liar.headers.set("X-Real-IP", "203.0.113." + i % 50);
            liar.headers.set("Forwarded", "for=203.0.113." + i % 50);
            tries.add(liar.send(
                    HttpMethod.POST,
                    "/api/v2/tokens",
                    "application/json",
                    login(name, "guess " + i).toBuffer()));
            if (i % 100 == 99) {
                Future.join(tries).await();
            }
        }
        assertThat(tries.stream().filter(answer -> answer.result().statusCode() == 400))
                .hasSize(SignIn.PER_ACCOUNT);
        assertThat(tries.stream().filter(answer -> answer.result().statusCode() == 429))
                .hasSize(990);
    }

    @Test
    void the_limit_holds_on_two_gateways_together_and_over_the_api() {
        for (int i = 0; i < 5; i++) {
            assertThat(tryOnce(gateway.browser(), name, "wrong").statusCode()).isEqualTo(422);
            assertThat(behindProxy
                            .browser()
                            .json(HttpMethod.POST, "/api/v2/tokens", login(name, "wrong"))
                            .statusCode())
                    .isEqualTo(400);
        }
        assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                .isEqualTo(429);
        var refused =
                behindProxy.browser().json(HttpMethod.POST, "/api/v2/authn/basic/login", login(name, "right password"));
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(refused.getHeader("Retry-After"))).isBetween(850, 900);
    }

    @Test
    void after_the_delay_the_owner_gets_in() {
        for (int i = 0; i < 15; i++) {
            tryOnce(gateway.browser(), name, "wrong");
        }
        var delayed = tryOnce(gateway.browser(), name, "right password");
        assertThat(delayed.statusCode()).isEqualTo(429);
        assertThat(delayed.bodyAsString()).contains("name=\"password\"");
        int wait = Integer.parseInt(delayed.getHeader("Retry-After"));
        sql("UPDATE sign_in_tries SET times = ARRAY(SELECT t - interval '" + wait + " seconds' FROM unnest(times) t)");
        assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                .isEqualTo(303);
        assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                .isEqualTo(303);
    }

    @Test
    void one_address_may_not_try_a_hundred_names() {
        for (int i = 0; i < SignIn.PER_ADDRESS; i++) {
            assertThat(from("2001:db8:1:2::" + i, "name" + i).statusCode()).isEqualTo(422);
        }
        assertThat(from("2001:db8:1:2:ffff::1", "another").statusCode()).isEqualTo(429);
        assertThat(from("2001:db8:1:3::1", "another").statusCode()).isEqualTo(422);
        assertThat(from("198.51.100.1", name).statusCode()).isEqualTo(422);
    }

    private static HttpResponse<Buffer> from(String address, String name) {
        var browser = behindProxy.browser();
        browser.headers.set("X-Forwarded-For", "203.0.113.66, " + address);
        return tryOnce(browser, name, "wrong");
    }

    @Test
    void the_owner_who_gets_in_gives_a_guesser_no_more_tries() {
        for (int i = 0; i < SignIn.PER_ACCOUNT - 1; i++) {
            tryOnce(gateway.browser(), name, "wrong");
        }
        assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                .isEqualTo(303);
        assertThat(tryOnce(gateway.browser(), name, "wrong").statusCode()).isEqualTo(422);
        assertThat(tryOnce(gateway.browser(), name, "wrong").statusCode()).isEqualTo(429);
    }

    @Test
    void signing_in_anew_ends_the_session_before() {
        var browser = gateway.browser().signIn(name, "right password");
        var before = browser.copy();
        browser.signIn("admin", Gateway.PASSWORD);
        assertThat(browser.get("/people").statusCode()).isEqualTo(200);
        assertThat(before.get("/profile").statusCode()).isEqualTo(401);
    }

    @Test
    void tries_that_succeed_are_not_counted() {
        for (int i = 0; i < 25; i++) {
            assertThat(tryOnce(gateway.browser(), name, "right password").statusCode())
                    .isEqualTo(303);
        }
    }

    @Test
    void a_password_beyond_all_measure_is_a_wrong_one() {
        assertThat(tryOnce(gateway.browser(), name, "x".repeat(12_000)).statusCode())
                .isEqualTo(422);
        assertThat(tryOnce(gateway.browser(), name, "x".repeat(2_000)).statusCode())
                .isEqualTo(422);
    }

    @Test
    void at_rest_there_is_nothing_that_opens_anything() {
        var browser = gateway.browser();
        tryOnce(browser, name, "right password");
        var api = gateway.browser();
        String login = api.json(HttpMethod.POST, "/api/v1/token", login(name, "right password"))
                .bodyAsJsonObject()
                .getString("token");
        api.headers.set("Authorization", "Bearer " + login);
        String token = api.json(HttpMethod.POST, "/api/v2/tokens/application", new JsonObject())
                .bodyAsJsonObject()
                .getString("token");
        var dump = new StringBuilder();
        for (String table : List.of("users", "sessions", "application_tokens", "sign_in_tries", "set_up_links")) {
            database.database()
                    .pool()
                    .query("SELECT t::text FROM " + table + " t")
                    .execute()
                    .await()
                    .forEach(row -> dump.append(row.getString(0)).append('\n'));
        }
        String refresh = browser.cookie("sluice_refresh");
        assertThat(dump.toString())
                .contains("$argon2id$v=19$m=")
                .doesNotContain("right password", Gateway.PASSWORD, login, token, refresh, refresh.split("\\.")[1])
                .doesNotContain(hex(login), hex(token), hex(refresh.split("\\.")[1]));
        assertThat(token).matches("sluice_[0-9a-f]{40}");
    }

    private static String hex(String text) {
        return java.util.HexFormat.of().formatHex(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void with_more_effort_asked_for_a_password_is_hashed_anew_at_sign_in() {
        var metrics = new Identity.Metrics(new CollectorRegistry());
        var more = new Identity.Hashing(128, 2, 1);
        var passwords = new Passwords(vertx, more, metrics);
        var people = new PeopleStore(database.database());
        var signIn = new SignIn(vertx, people, new SignInStore(database.database()), passwords, metrics);
        assertThat(signIn.check(name, "right password", "127.0.0.1").await()).isInstanceOf(SignIn.Result.Granted.class);
        long end = System.nanoTime() + 5_000_000_000L;
        while (!people.withPassword(name).await().orElseThrow().password().contains("m=128,t=2,p=1")) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(signIn.check(name, "right password", "127.0.0.1").await()).isInstanceOf(SignIn.Result.Granted.class);
        signIn.close();
    }

    @Test
    void the_real_effort_is_what_is_recommended_at_least() {
        assertThat(Identity.Hashing.DEFAULT.kibibytes()).isGreaterThanOrEqualTo(19 * 1024);
        assertThat(Identity.Hashing.DEFAULT.passes()).isGreaterThanOrEqualTo(2);
        var passwords = new Passwords(vertx, Identity.Hashing.DEFAULT, new Identity.Metrics(new CollectorRegistry()));
        String hash = passwords.hash("a password").await();
        assertThat(hash).matches("\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$[A-Za-z0-9+/]{22}\\$[A-Za-z0-9+/]{43}");
        assertThat(passwords.matches("a password", hash).await()).isTrue();
        assertThat(passwords.matches("a passwore", hash).await()).isFalse();
        assertThat(passwords.matches("", null).await()).isFalse();
    }

    @Test
    void who_comes_after_a_full_queue_is_refused_and_counted() {
        var registry = new CollectorRegistry();
        var passwords = new Passwords(vertx, new Identity.Hashing(4_096, 1, 1), new Identity.Metrics(registry));
        List<Future<String>> hashes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            hashes.add(passwords.hash("password " + i));
        }
        long refused = hashes.stream().filter(Future::failed).count();
        assertThat(refused).isBetween(100L, 136L);
        assertThat(registry.getSampleValue("sluice_identity_passwords_refused_total"))
                .isEqualTo((double) refused);
        Future.join(hashes).otherwiseEmpty().await();
        assertThat(passwords.hash("after it").await()).isNotEmpty();
    }

    @Test
    void what_was_chosen_is_found_again_in_another_browser() {
        var browser = gateway.browser();
        tryOnce(browser, name, "right password");
        var chosen = browser.post("/preferences", Map.of("language", "zh", "theme", "dark", "next", "/profile"));
        assertThat(chosen.getHeader("Location")).isEqualTo("/profile");
        var other = gateway.browser();
        tryOnce(other, name, "right password");
        assertThat(other.cookies).containsEntry("sluice_lang", "zh").containsEntry("sluice_theme", "dark");
        assertThat(other.get("/profile").bodyAsString()).contains("lang=\"zh");
    }

    @Test
    void anyone_may_choose_among_what_there_is() {
        var browser = gateway.browser();
        browser.post("/preferences", Map.of("language", "zh"));
        browser.post("/preferences", Map.of("language", "xx", "theme", "pink"));
        assertThat(browser.cookies).containsEntry("sluice_lang", "zh").doesNotContainKey("sluice_theme");
    }

    @Test
    void nothing_leads_away_from_the_portal() {
        assertThat(Redirects.HOSTILE).hasSizeGreaterThan(600);
        for (String next : Redirects.HOSTILE) {
            assertThat(EntryRoutes.local(next)).as(next).isEqualTo("/");
        }
        for (String next : Redirects.OURS) {
            assertThat(EntryRoutes.local(next)).isEqualTo(next);
        }
        assertThat(EntryRoutes.local(null)).isEqualTo("/");
        for (String next : List.of("https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example")) {
            var form = Map.of("name", name, "password", "right password", "next", next);
            assertThat(gateway.browser().post("/sign-in", form).getHeader("Location"))
                    .isEqualTo("/");
            assertThat(gateway.browser()
                            .post("/preferences", Map.of("theme", "dark", "next", next))
                            .getHeader("Location"))
                    .isEqualTo("/");
        }
    }
}
