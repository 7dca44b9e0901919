package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SignInTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    @Test
    void who_signs_in_sees_the_page_that_was_asked_for() {
        var browser = gateway.browser();
        var turnedAway = browser.get("/people");
        browser.headers.set("Accept", "text/html");
        assertThat(turnedAway.statusCode()).isEqualTo(401);
        assertThat(browser.get("/people").getHeader("Location")).isEqualTo("/sign-in?next=%2Fpeople");
        assertThat(browser.get("/sign-in?next=%2Fpeople").bodyAsString()).contains("value=\"/people\"");
        var entered =
                browser.post("/sign-in", Map.of("name", "admin", "password", Gateway.PASSWORD, "next", "/people"));
        assertThat(entered.statusCode()).isEqualTo(303);
        assertThat(entered.getHeader("Location")).isEqualTo("/people");
        assertThat(entered.cookies())
                .allMatch(cookie -> cookie.contains("HTTPOnly") && cookie.contains("SameSite=Lax"));
        assertThat(browser.get("/people").bodyAsString()).contains("admin");
        assertThat(browser.get("/").statusCode()).isEqualTo(200);
        assertThat(browser.get("/profile").statusCode()).isEqualTo(200);
        assertThat(browser.get("/people/admin").statusCode()).isEqualTo(200);
    }

    @Test
    void a_wrong_password_is_answered_with_the_same_page() {
        var refused = gateway.browser().post("/sign-in", Map.of("name", "nobody", "password", "wrong password"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.cookies()).isEmpty();
        assertThat(refused.bodyAsString()).contains("name=\"password\"").contains("nobody");
    }
}
