package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Alone: it hears what everybody in this JVM says. */
@Isolated
class AuditTest {
    /** Keeps what any logger says. */
    private static final class Listening extends Handler {
        final List<String> all = Collections.synchronizedList(new ArrayList<>());
        final List<String> audit = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void publish(LogRecord event) {
            all.add(event.getMessage() + event.getThrown());
            if ("io.sluice.identity.audit".equals(event.getLoggerName())) {
                audit.add(event.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void every_event_of_security_is_one_line_of_json_and_no_line_holds_a_secret() throws IOException {
        var listening = new Listening();
        Logger root = Logger.getLogger("");
        Logger audit = Logger.getLogger("io.sluice.identity.audit");
        Level before = audit.getLevel();
        audit.setLevel(Level.INFO);
        root.addHandler(listening);
        audit.addHandler(listening);
        Vertx vertx = Vertx.vertx();
        List<String> secrets =
                new ArrayList<>(List.of("first secret", "second secret", "wrong secret", Gateway.PASSWORD));
        try (var database = TestDatabase.fresh(vertx)) {
            var gateway = Gateway.open(vertx, database.database(), Gateway.PASSWORD, Set.of("127.0.0.1"));
            var admin = gateway.browser();
            admin.headers.set("X-Forwarded-For", "::1\"},{\"event\":\"forged\"\u0085");
            admin.signIn("admin", Gateway.PASSWORD);
            admin.post("/people", Map.of("name", "li", "password", "first secret"));
            admin.post("/people/li/reset", Map.of("password", "second secret"));
            admin.post("/people/li/admin", Map.of("admin", "true"));
            admin.post("/people/li/groups", Map.of("groups", "vision"));
            gateway.browser().post("/sign-in", Map.of("name", "li", "password", "wrong secret"));
            gateway.browser().post("/sign-in", Map.of("name", "wrong secret", "password", ""));
            var li = gateway.browser().signIn("li", "second secret");
            var made = li.post("/profile/tokens", Map.of("name", "t", "scopes", "jobs:read", "days", "7"));
            String token = made.bodyAsString().replaceAll("(?s).*(sluice_[0-9a-f]{40}).*", "$1");
            li.json(HttpMethod.DELETE, "/api/v2/tokens/" + token, new JsonObject());
            li.post("/profile/keys", Map.of("key", Crowd.KEY));
            secrets.addAll(List.of(token, li.cookie("sluice_session"), li.cookie("sluice_refresh")));
            li.post("/sign-out", Map.of());
            admin.post("/people/li/disable", Map.of());
            admin.post("/people/li/delete", Map.of());
            gateway.close();
            listening.all.add(Files.readString(gateway.data.resolve("access.log")));
            listening.all.add(new Identity.Settings(gateway.data, Gateway.PASSWORD).toString());
        } finally {
            vertx.close().await();
            root.removeHandler(listening);
            audit.removeHandler(listening);
            audit.setLevel(before);
        }
        assertThat(listening.audit).allMatch(line -> !line.contains("\n") && !line.contains("\u0085"));
        assertThat(listening.audit.stream().map(JsonObject::new).map(line -> line.getString("event")))
                .contains(
                        "set-up",
                        "signed-in",
                        "sign-in-refused",
                        "user-added",
                        "user-reset",
                        "user-adminGiven",
                        "user-groups",
                        "token-made",
                        "token-revoked",
                        "key-added",
                        "signed-out",
                        "user-disabled",
                        "user-deleted")
                .doesNotContain("forged");
        assertThat(String.join("\n", listening.all)).doesNotContain(secrets);
    }
}
