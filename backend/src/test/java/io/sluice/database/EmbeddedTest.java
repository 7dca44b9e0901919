package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedTest {

    private static final Vertx vertx = Vertx.vertx();
    private static OwnServer own;

    @BeforeAll
    static void first(@TempDir Path folder) throws IOException {
        // deeper than a path of a Unix socket may be long
        own = OwnServer.in(folder.resolve("a-folder-with-a-long-name".repeat(6)));
    }

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void a_second_start_finds_its_data() {
        var first = open();
        first.pool().query("CREATE TABLE notes AS SELECT 1 AS a").execute().await();
        first.close().await();

        var second = open();
        assertThat(second.pool().query("SELECT a FROM notes").execute().await()).hasSize(1);
        second.close().await();
    }

    @Test
    void a_clean_stop_leaves_no_process_and_an_unclean_one_a_server_that_is_taken_over() throws Exception {
        var left = Embedded.start(own.data());
        var taken = Embedded.start(own.data());
        assertThat(taken.pid()).isEqualTo(left.pid());

        taken.stop();
        Eventually.holds(() -> ProcessHandle.of(left.pid()).isEmpty()); // init may be slow to bury it
        assertThat(own.cluster().resolve("postmaster.pid")).doesNotExist();
    }

    @Test
    void a_process_number_that_is_a_strangers_now_is_no_server() throws IOException {
        Embedded.start(own.data()).stop();
        var stale = "%d\n%s\n1700000000\n1\n\n127.0.0.1\n  1 1\nready\n"
                .formatted(ProcessHandle.current().pid(), own.cluster());
        Files.writeString(own.cluster().resolve("postmaster.pid"), stale);

        var server = Embedded.start(own.data());
        assertThat(server.pid()).isNotEqualTo(ProcessHandle.current().pid());
        server.stop();
    }

    @Test
    void what_a_first_start_left_when_it_was_cut_off_is_made_anew(@TempDir Path folder) throws IOException {
        var begun = OwnServer.in(folder);
        var half = Files.createDirectories(folder.resolve("postgres-unfinished-1/cluster/base"));
        Files.writeString(half.resolve("1"), "half");

        Embedded.start(begun.data()).stop();
        assertThat(begun.cluster().resolve("PG_VERSION")).exists();
        assertThat(folder.resolve("postgres-unfinished-1")).doesNotExist();
    }

    @Test
    void a_damaged_database_is_told_and_left_as_it_is() throws IOException {
        Embedded.start(own.data()).stop();
        var control = own.cluster().resolve("global/pg_control");
        var good = Files.readAllBytes(control);
        try {
            Files.write(control, new byte[8192]);
            assertThatThrownBy(() -> Embedded.start(own.data()))
                    .isInstanceOf(Database.Unavailable.class)
                    .hasMessageContainingAll(
                            own.cluster().toString(), "does not start (", "put back a backup", "move it away")
                    .message()
                    .hasLineCount(1);
            assertThat(control).hasBinaryContent(new byte[8192]);

            Files.delete(control);
            assertThatThrownBy(() -> Embedded.start(own.data())).hasMessageContaining("(global/pg_control is missing)");
        } finally {
            Files.write(control, good);
        }
        Embedded.start(own.data()).stop();
    }

    @Test
    void its_files_and_its_password_are_for_its_owner_only() throws IOException {
        Embedded.start(own.data()).stop();
        assertThat(Files.getPosixFilePermissions(own.cluster()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getPosixFilePermissions(own.cluster().resolve("sluice-password")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void it_listens_to_this_machine_only_and_asks_for_the_password() {
        var database = open();
        var settings = database.pool()
                .query("SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories'),"
                        + " current_setting('fsync'), current_setting('data_checksums'),"
                        + " (SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256')")
                .execute()
                .await()
                .iterator()
                .next();
        assertThat(settings.getString(0)).isEqualTo("127.0.0.1");
        assertThat(settings.getString(1)).isEmpty();
        assertThat(settings.getString(2)).isEqualTo("on");
        assertThat(settings.getString(3)).isEqualTo("on");
        assertThat(settings.getLong(4)).isZero();
        database.close().await();
    }

    @Test
    void a_machine_without_programs_is_told_which_have_them_and_what_else_to_do() {
        assertThatThrownBy(() -> Binaries.archive("Windows 11", "amd64"))
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContainingAll("Linux (x86-64, arm64) and macOS (arm64), not for Windows 11 amd64", "--db");
        assertThat(Binaries.archive("Linux", "aarch64").toString().toLowerCase(Locale.ROOT))
                .contains("arm_64");
    }

    @Test
    void macos_has_its_programs_in_jars_that_were_built_there() {
        assumeFalse(System.getProperty("os.name").startsWith("Mac"), "such a jar");
        assertThatThrownBy(() -> Binaries.archive("Mac OS X", "aarch64"))
                .hasMessageContainingAll("built without PostgreSQL for Mac OS X", "build it on such a machine");
    }

    private static Database open() {
        return Database.open(vertx, Database.Settings.of(own.data(), null)).await();
    }
}
