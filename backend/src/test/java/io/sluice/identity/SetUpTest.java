package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SetUpTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private final List<Gateway> gateways = new ArrayList<>();

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        database.database().migrate(List.of(Identity.MIGRATIONS)).await();
    }

    @AfterAll
    static void shut() {
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void nobodyYet() {
        database.database()
                .pool()
                .query("TRUNCATE users, set_up_links, sign_in_tries, identity_settings CASCADE")
                .execute()
                .await();
    }

    @AfterEach
    void close() {
        gateways.forEach(Gateway::close);
    }

    private Gateway gateway(@org.jspecify.annotations.Nullable String password, String... proxies) {
        var gateway = Gateway.open(vertx, database.database(), password, Set.of(proxies));
        gateways.add(gateway);
        return gateway;
    }

    private static String token(Gateway gateway) {
        String line = gateway.printed.getFirst();
        assertThat(line)
                .matches(
                        "set up: http://127\\.0\\.0\\.1:\\d+/set-up\\?token=[A-Za-z0-9_-]{27}  \\(30 minutes, from this machine only\\)");
        return line.replaceAll(".*token=(\\S+).*", "$1");
    }

    private static Map<String, String> form(String token, String name) {
        return Map.of("token", token, "name", name, "password", Gateway.PASSWORD, "again", Gateway.PASSWORD);
    }

    @Test
    void the_link_makes_an_administrator_who_is_signed_in_at_once() {
        var gateway = gateway(null);
        var browser = gateway.browser();
        assertThat(browser.get("/set-up?token=" + token(gateway)).bodyAsString())
                .contains("name=\"again\"");
        var made = browser.post("/set-up", form(token(gateway), "li.wei"));
        assertThat(made.statusCode()).isEqualTo(303);
        assertThat(browser.get("/people").statusCode()).isEqualTo(200);
        assertThat(browser.get("/profile").bodyAsString()).contains("li.wei");
    }

    @Test
    void of_two_hundred_at_once_with_one_link_one_is_made() {
        var gateway = gateway(null);
        var second = gateway(null);
        String token = token(gateway);
        List<Future<HttpResponse<Buffer>>> tries = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            tries.add((i % 2 == 0 ? gateway : second).browser().postLater("/set-up", form(token, "admin" + i)));
        }
        Future.join(tries).await();
        assertThat(tries.stream().filter(answer -> answer.result().statusCode() == 303))
                .hasSize(1);
        assertThat(tries.stream().map(answer -> answer.result().statusCode()).distinct())
                .contains(303)
                .isSubsetOf(303, 404, 503);
        assertThat(new PeopleStore(database.database()).count().await()).isEqualTo(1);
    }

    @Test
    void two_links_make_one_administrator() {
        var gateway = gateway(null);
        var second = gateway(null);
        assertThat(gateway.browser()
                        .post("/set-up", form(token(gateway), "one"))
                        .statusCode())
                .isEqualTo(303);
        assertThat(second.browser().post("/set-up", form(token(second), "two")).statusCode())
                .isEqualTo(404);
        assertThat(second.browser().get("/set-up?token=" + token(second)).statusCode())
                .isEqualTo(404);
    }

    @Test
    void the_link_is_for_this_machine_only() {
        var gateway = gateway(null, "127.0.0.1");
        var stranger = gateway.browser();
        stranger.headers.set("X-Forwarded-For", "203.0.113.7");
        assertThat(stranger.get("/set-up?token=" + token(gateway)).statusCode()).isEqualTo(404);
        assertThat(stranger.post("/set-up", form(token(gateway), "mallory")).statusCode())
                .isEqualTo(404);
        assertThat(gateway.browser()
                        .post("/set-up", form(token(gateway), "admin"))
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void a_proxy_that_nobody_named_does_not_make_strangers_local() {
        var gateway = gateway(null);
        var stranger = gateway.browser();
        stranger.headers.set("X-Forwarded-For", "203.0.113.7");
        assertThat(stranger.get("/set-up?token=" + token(gateway)).statusCode()).isEqualTo(404);
        assertThat(stranger.get("/metrics").statusCode()).isEqualTo(401);
    }

    @Test
    void the_link_is_over_after_its_time() {
        var gateway = gateway(null);
        database.database()
                .pool()
                .query("UPDATE set_up_links SET expires = now() - interval '1 second'")
                .execute()
                .await();
        assertThat(gateway.browser()
                        .post("/set-up", form(token(gateway), "late"))
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void the_database_keeps_no_usable_link() {
        String token = token(gateway(null));
        var kept = database.database()
                .pool()
                .query("SELECT encode(hash, 'escape') || encode(hash, 'base64') FROM set_up_links")
                .execute()
                .await();
        assertThat(kept.iterator().next().getString(0)).doesNotContain(token);
    }

    @Test
    void a_refused_form_is_drawn_again_and_the_link_still_works() {
        var gateway = gateway(null);
        var browser = gateway.browser();
        for (Map<String, String> wrong : List.of(
                Map.of("token", token(gateway), "name", "x y", "password", Gateway.PASSWORD, "again", Gateway.PASSWORD),
                Map.of("token", token(gateway), "name", "me", "password", Gateway.PASSWORD, "again", Gateway.PASSWORD),
                Map.of("token", token(gateway), "name", "admin", "password", "short", "again", "short"),
                Map.of(
                        "token",
                        token(gateway),
                        "name",
                        "Administrator",
                        "password",
                        "administrator",
                        "again",
                        "administrator"),
                Map.of(
                        "token",
                        token(gateway),
                        "name",
                        "admin",
                        "password",
                        Gateway.PASSWORD,
                        "again",
                        "something else"))) {
            assertThat(browser.post("/set-up", wrong).statusCode()).isEqualTo(422);
        }
        assertThat(browser.post("/set-up", form(token(gateway), "admin")).statusCode())
                .isEqualTo(303);
    }

    @Test
    void the_variable_never_changes_who_is_there() {
        gateway(Gateway.PASSWORD);
        var second = gateway("another password");
        assertThat(second.printed).isEmpty();
        second.browser().signIn("admin", Gateway.PASSWORD);
        assertThat(second.browser()
                        .post("/sign-in", Map.of("name", "admin", "password", "another password"))
                        .statusCode())
                .isEqualTo(422);
    }

    @Test
    void a_variable_too_short_to_protect_anything_starts_nothing() {
        assertThatThrownBy(() -> gateway("seven77")).hasMessageContaining("SLUICE_ADMIN_PASSWORD");
        assertThat(new SignInStore(database.database()).isEmpty().await()).isTrue();
    }

    @Test
    void no_common_password_opens_a_fresh_gateway() {
        var gateway = gateway(null);
        for (String password : List.of("admin", "password", "sluice", "admin123", "", "root", "changeme")) {
            for (String name : List.of("admin", "root", "sluice")) {
                assertThat(gateway.browser()
                                .post("/sign-in", Map.of("name", name, "password", password))
                                .statusCode())
                        .isIn(422, 429);
            }
        }
    }

    @Test
    void gateways_of_one_database_sign_alike_and_installations_do_not() {
        var one = gateway(Gateway.PASSWORD);
        var two = gateway(null);
        var browser = one.browser().signIn("admin", Gateway.PASSWORD);
        assertThat(browser.at(two).get("/profile").statusCode()).isEqualTo(200);
        try (var other = TestDatabase.fresh(vertx);
                var elsewhere = Gateway.open(vertx, other.database())) {
            assertThat(browser.at(elsewhere).get("/profile").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void alone_the_key_lies_in_a_file_that_only_its_owner_reads(@TempDir Path data) throws IOException {
        var settings = new Identity.Settings(data, null, false, Gateway.QUICK);
        Identity.open(vertx, database.database(), new CollectorRegistry(), settings)
                .await()
                .close()
                .await();
        byte[] key = Files.readAllBytes(data.resolve("signing.key"));
        assertThat(key).hasSize(32);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("signing.key"))))
                .isEqualTo("rw-------");
        Identity.open(vertx, database.database(), new CollectorRegistry(), settings)
                .await()
                .close()
                .await();
        assertThat(Files.readAllBytes(data.resolve("signing.key"))).isEqualTo(key);
        assertThat(database.database()
                        .pool()
                        .query("SELECT FROM identity_settings")
                        .execute()
                        .await()
                        .size())
                .isZero();
    }
}
