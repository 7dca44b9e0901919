package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class TargetTest {

    private static final Vertx vertx = Vertx.vertx();

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void a_url_that_is_none_is_told_without_its_password() {
        assertThatThrownBy(open("mysql://me:geheim@host/db")::await)
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContaining("--db (or SLUICE_DB) is not a URL of the form postgresql://")
                .hasMessageNotContaining("geheim")
                .hasNoCause();
    }

    @Test
    void a_place_without_a_server_is_told() throws IOException {
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThatThrownBy(open("postgresql://me:geheim@127.0.0.1:" + port + "/db")::await)
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContainingAll("No database at 127.0.0.1:" + port + "/db", "Connection refused", "--db")
                .hasMessageNotContaining("geheim");
    }

    @Test
    void a_wrong_password_is_told_without_it() {
        try (var test = TestDatabase.fresh(vertx)) {
            var wrong = Pattern.compile(":[^:@/]*@").matcher(test.url()).replaceFirst(":geheim@");
            assertThatThrownBy(open(wrong)::await)
                    .isInstanceOf(Database.Unavailable.class)
                    .hasMessageContaining("password authentication failed")
                    .hasMessageNotContaining("geheim")
                    .message()
                    .hasLineCount(1);
        }
    }

    @Test
    void settings_never_print_the_url() {
        assertThat(Database.Settings.of(Path.of("data"), "postgresql://me:geheim@host/db"))
                .asString()
                .doesNotContain("geheim");
    }

    private static Future<Database> open(String url) {
        return Database.open(vertx, Database.Settings.of(Path.of("data"), url));
    }
}
