package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.spi.DatabaseMetadata;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void an_authority_that_can_not_be_read_is_told(@TempDir Path folder) throws IOException {
        var empty = Files.createFile(folder.resolve("empty.pem"));
        for (var file : List.of(folder.resolve("nowhere.pem"), empty)) {
            assertThatThrownBy(open("postgresql://me@127.0.0.1/db?sslmode=verify-full&sslrootcert=" + file)::await)
                    .isInstanceOf(Database.Unavailable.class)
                    .hasMessage("--db: sslrootcert names %s, in which no certificate can be read.", file);
        }
    }

    @Test
    void a_server_that_is_too_old_is_told() {
        var target = Target.of("postgresql://me:geheim@host:5433/db");
        assertThatThrownBy(target.checkVersion(new Version(14, "14.19"))::await)
                .isInstanceOf(Database.Unavailable.class)
                .hasMessage("The database at host:5433/db is PostgreSQL 14.19; Sluice needs 15 or newer.");
        target.checkVersion(new Version(15, "15.0")).await();
    }

    private record Version(int majorVersion, String fullVersion) implements DatabaseMetadata {
        @Override
        public String productName() {
            return "PostgreSQL";
        }

        @Override
        public int minorVersion() {
            return 0;
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
