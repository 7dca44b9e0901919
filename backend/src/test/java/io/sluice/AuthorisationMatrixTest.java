package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.sluice.identity.Browser;
import io.sluice.identity.Gateway;
import io.sluice.identity.Gateway.Person;
import io.sluice.web.Route;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route of the portal, tried by everybody, against {@code authorisation-matrix.txt}. */
class AuthorisationMatrixTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static Person owner;
    private static Person another;
    private static Person admin;
    private static Person disabled;

    /** In the order of the columns. */
    private enum Who {
        NOBODY,
        ANOTHER,
        OWNER,
        ADMIN,
        DISABLED,
        PROGRAM
    }

    private record Row(String method, String path, List<String> statuses, String body) {
        static Row of(String line) {
            String[] words = line.strip().split("\\s+", 9);
            return new Row(words[0], words[1], List.of(words).subList(2, 8), words.length > 8 ? words[8] : "");
        }

        String route() {
            return method + " " + path;
        }

        boolean isApi() {
            return path.startsWith("/api/");
        }

        @Override
        public String toString() {
            return route();
        }
    }

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
        owner = gateway.person("owner", false);
        another = gateway.person("another", false);
        admin = gateway.person("boss", true);
        disabled = gateway.person("disabled", false);
        gateway.disable(disabled);
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    static Stream<Row> rows() throws IOException {
        try (InputStream file = Objects.requireNonNull(
                AuthorisationMatrixTest.class.getResourceAsStream("/authorisation-matrix.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(Row::of)
                    .toList()
                    .stream();
        }
    }

    static Stream<Row> readingRows() throws IOException {
        return rows().filter(row -> row.method.equals("GET"));
    }

    @Test
    void every_route_has_a_row_and_every_row_a_route() throws IOException {
        assertThat(rows().map(Row::route))
                .containsExactlyInAnyOrderElementsOf(
                        gateway.routes().stream().map(Route::toString).toList());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void everybody_is_answered_as_the_row_says(Row row) {
        var answered = Stream.of(Who.values()).map(who -> status(row, who, "")).toList();
        assertThat(String.join(" ", answered)).isEqualTo(String.join(" ", row.statuses));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("readingRows")
    void a_head_and_an_upgrade_open_nothing_that_a_get_does_not(Row row) {
        for (Who who : List.of(Who.NOBODY, Who.ANOTHER, Who.DISABLED)) {
            String expected = row.statuses.get(who.ordinal());
            var head = caller(who, owner).send(HttpMethod.HEAD, path(row, owner), null, null).await();
            assertThat("" + head.statusCode()).as(who + " HEAD").isEqualTo(expected);
            if (!expected.startsWith("2")) {
                var upgrade = caller(who, owner);
                upgrade.headers.set("Connection", "Upgrade");
                upgrade.headers.set("Upgrade", "websocket");
                upgrade.headers.set("Sec-WebSocket-Version", "13");
                upgrade.headers.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
                upgrade.headers.set("Origin", gateway.address());
                assertThat("" + upgrade.get(path(row, owner)).statusCode())
                        .as(who + " upgrade")
                        .isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void the_other_prefix_of_the_api_is_guarded_alike(Row row) {
        if (row.isApi()) {
            for (Who who : List.of(Who.NOBODY, Who.ANOTHER)) {
                assertThat(status(row, who, "/rest-server")).isEqualTo(row.statuses.get(who.ordinal()));
            }
        }
    }

    /** What is touched belongs to somebody who is new where it may be spoilt. */
    private static Person touched(Row row, Who who) {
        boolean spoils = !row.method.equals("GET") && (who == Who.OWNER || who == Who.ADMIN);
        return who == Who.DISABLED
                ? disabled
                : spoils ? gateway.person("owner" + NUMBER.incrementAndGet(), false) : owner;
    }

    private static String status(Row row, Who who, String prefix) {
        Person owner = touched(row, who);
        String text = row.body.replace("OWNER", owner.name());
        Buffer body = row.method.equals("GET") ? null : Buffer.buffer(text.isEmpty() && row.isApi() ? "{}" : text);
        String type = row.isApi() ? "application/json" : "application/x-www-form-urlencoded";
        var answer = caller(who, owner)
                .send(HttpMethod.valueOf(row.method), prefix + path(row, owner), body == null ? null : type, body)
                .await();
        if (row.isApi() && answer.statusCode() >= 400) {
            assertThat(answer.bodyAsJsonObject().fieldNames()).containsExactlyInAnyOrder("code", "message");
        }
        return "" + answer.statusCode();
    }

    private static String path(Row row, Person owner) {
        return row.path
                .replace(":name", owner.name())
                .replace(":user", owner.name())
                .replace(":group", row.method.equals("DELETE") ? "nogroup" : "default")
                .replace(":token", owner.program())
                .replace(
                        ":id",
                        row.path.contains("/keys/") ? owner.key() : row.path.contains("/tokens/") ? owner.token() : owner.session());
    }

    private static Browser caller(Who who, Person owner) {
        Browser caller = gateway.browser();
        String bearer =
                switch (who) {
                    case NOBODY -> null;
                    case ANOTHER -> gateway.bearer(another);
                    case OWNER -> gateway.bearer(owner);
                    case ADMIN -> gateway.bearer(admin);
                    case DISABLED -> disabled.bearer();
                    case PROGRAM -> owner.program();
                };
        if (bearer != null) {
            caller.headers.set("Authorization", "Bearer " + bearer);
        }
        return caller;
    }
}
