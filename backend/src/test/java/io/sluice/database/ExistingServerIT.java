package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The oldest PostgreSQL that is supported, as Debian packages it, on a cluster of our own, with TLS. */
class ExistingServerIT {

    private static final Vertx vertx = Vertx.vertx();
    private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

    @TempDir
    private static Path folder;

    private static int port;

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.isExecutable(PROGRAMS.resolve("initdb")), "needs Debian's postgresql-15");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can be the user postgres");
        run("chown", "postgres", folder.toString());
        var password = Files.writeString(folder.resolve("password"), "geh:eim/1");
        asPostgres("initdb", "-D", cluster(), "-U", "sluice", "-A", "scram-sha-256", "--pwfile=" + password);
        for (var name : List.of("first.pem", "first.key")) {
            Files.copy(tls(name), Path.of(cluster(), name));
        }
        run("chmod", "600", cluster() + "/first.key");
        run("chown", "-R", "postgres", cluster());
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        asPostgres("pg_ctl", "-D", cluster(), "-w", "-l", folder.resolve("log").toString(), "-o", options(), "start");
    }

    private static String options() {
        return "-p %d -c listen_addresses=localhost -c unix_socket_directories= -c ssl=on -c ssl_cert_file=first.pem -c ssl_key_file=first.key"
                .formatted(port);
    }

    @AfterAll
    static void stop() throws Exception {
        if (port != 0) {
            asPostgres("pg_ctl", "-D", cluster(), "-m", "immediate", "stop");
        }
        vertx.close().await();
    }

    @Test
    void it_is_used_and_encrypted_where_the_server_can() {
        assertThat(encrypted("")).isTrue();
    }

    @Test
    void the_url_says_whether_the_connection_is_encrypted() {
        assertThat(encrypted("?sslmode=disable")).isFalse();
        assertThat(encrypted("?sslmode=require")).isTrue();
    }

    @Test
    void the_server_is_verified_when_asked_for() throws URISyntaxException {
        assertThat(encrypted("?sslmode=verify-full&sslrootcert=" + tls("first.pem")))
                .isTrue();
        assertThatThrownBy(open("?sslmode=verify-full&sslrootcert=" + tls("second.pem"))::await)
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContaining("SSL");
    }

    @Test
    void an_authority_that_java_does_not_know_must_be_named() {
        assertThatThrownBy(open("?sslmode=verify-ca")::await)
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContaining("SSL");
    }

    @Test
    void migrations_doorbell_and_limits_work_there() throws Exception {
        var database = open("").await();
        database.migrate(List.of(new Migrations("notes", MigratorTest.class, List.of("001-notes"))))
                .await();
        Eventually.holds(() -> database.gauges().listening());
        database.doorbell().ring("notes").await();
        Eventually.holds(() -> database.gauges().rings() == 1);
        assertThatThrownBy(() ->
                        database.pool().query("SELECT pg_sleep(10)").execute().await())
                .matches(Database::isUnavailable);
        database.close().await();
    }

    @Test
    void a_restart_of_the_server_passes() throws Exception {
        var database = open("").await();
        asPostgres("pg_ctl", "-D", cluster(), "-m", "fast", "-w", "stop");
        assertThatThrownBy(() -> database.check().await()).matches(Database::isUnavailable);
        asPostgres("pg_ctl", "-D", cluster(), "-w", "-l", folder.resolve("log").toString(), "-o", options(), "start");
        Eventually.holds(() -> database.check()
                .map(true)
                .recover(e -> Future.succeededFuture(false))
                .await());
        database.close().await();
    }

    private static boolean encrypted(String parameters) {
        var database = open(parameters).await();
        try {
            return database.pool()
                    .query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                    .mapping(row -> row.getBoolean(0))
                    .execute()
                    .await()
                    .iterator()
                    .next();
        } finally {
            database.close().await();
        }
    }

    private static Future<Database> open(String parameters) {
        var url = "postgresql://sluice:geh%3Aeim%2F1@localhost:" + port + "/postgres" + parameters;
        return Database.open(vertx, Database.Settings.of(folder, url));
    }

    private static String cluster() {
        return folder.resolve("cluster").toString();
    }

    private static Path tls(String name) throws URISyntaxException {
        return Path.of(Optional.ofNullable(ExistingServerIT.class.getResource("/tls/" + name))
                .orElseThrow()
                .toURI());
    }

    private static void asPostgres(String program, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"));
        command.add(PROGRAMS.resolve(program).toString());
        command.addAll(List.of(arguments));
        run(command.toArray(String[]::new));
    }

    private static void run(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("said").toFile()))
                .start();
        assertThat(process.waitFor())
                .as(() -> Stream.of(command).toList() + said())
                .isZero();
    }

    private static String said() {
        try {
            return Files.readString(folder.resolve("said"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
