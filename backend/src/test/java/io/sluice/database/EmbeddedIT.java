package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded server and processes that are killed, users that are others, disks that are full. */
class EmbeddedIT {

    @TempDir
    private Path folder;

    @Test
    void a_first_start_unpacks_its_programs_and_clears_those_of_other_versions() throws IOException {
        var old = Files.createDirectories(folder.resolve("postgres-programs-of-before/bin"));
        Embedded.start(folder).stop();
        assertThat(Binaries.unpacked(folder).resolve("bin/postgres")).isExecutable();
        assertThat(old.getParent()).doesNotExist();
    }

    @Test
    void a_gateway_that_is_killed_leaves_its_server_and_the_next_takes_it_over() throws Exception {
        var own = OwnServer.in(folder);
        long server;
        try (var first = Gateway.start(folder)) {
            assertThat(first.line()).isEqualTo("ready");
            server = own.pid();
            first.kill();
        }
        assertThat(new Postmaster(server, 0, "").alive()).isTrue();
        try (var next = Gateway.start(folder)) {
            assertThat(next.line()).isEqualTo("ready");
            assertThat(own.pid()).isEqualTo(server);
            assertThat(next.stop()).isEqualTo("stopped");
        }
        assertThat(new Postmaster(server, 0, "").alive()).isFalse();
    }

    @Test
    void the_second_of_two_gateways_is_told_the_process_of_the_first() throws Exception {
        OwnServer.in(folder);
        try (var first = Gateway.start(folder)) {
            assertThat(first.line()).isEqualTo("ready");
            try (var second = Gateway.start(folder)) {
                assertThat(second.line())
                        .startsWith("Another gateway (process " + first.pid() + ") uses the data folder " + folder);
            }
            assertThat(first.stop()).isEqualTo("stopped");
        }
    }

    @Test
    void a_first_start_that_is_killed_half_way_is_done_again() throws Exception {
        var own = OwnServer.in(folder);
        try (var first = Gateway.start(folder)) {
            Eventually.holds(() -> unfinished() && !Files.exists(own.cluster()));
            first.kill();
        }
        assertThat(own.cluster()).doesNotExist();
        try (var next = Gateway.start(folder)) {
            assertThat(next.line()).isEqualTo("ready");
            assertThat(next.stop()).isEqualTo("stopped");
        }
    }

    @Test
    void its_server_is_in_a_session_of_its_own_that_ctrl_c_does_not_reach() throws IOException {
        var own = OwnServer.in(folder);
        var server = Embedded.start(own.data());
        var stat = Files.readString(Path.of("/proc", Long.toString(server.pid()), "stat"));
        server.stop();
        var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        assertThat(fields[2]).as("process group").isEqualTo(Long.toString(server.pid()));
        assertThat(fields[3]).as("session").isEqualTo(Long.toString(server.pid()));
    }

    @Test
    void a_server_that_stands_still_is_stopped_too_and_in_time() throws Exception {
        var own = OwnServer.in(folder);
        var vertx = Vertx.vertx();
        var database =
                Database.open(vertx, Database.Settings.of(own.data(), null)).await();
        var pid = own.pid();
        own.pause();
        var before = Instant.now();
        database.close().await();

        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(4));
        assertThat(new Postmaster(pid, 0, "").alive()).isFalse();
        vertx.close().await();
    }

    @Test
    void what_is_left_of_a_killed_server_is_waited_for() throws Exception {
        var own = OwnServer.in(folder);
        var killed = Embedded.start(own.data());
        own.pause();
        var left = ProcessHandle.of(killed.pid()).orElseThrow().children().toList();
        var postmaster = new Postmaster(killed.pid(), 0, "");
        postmaster.signal("KILL");
        assertThat(postmaster.goneWithin(10_000)).isTrue();
        var wake = new Thread(() -> {
            try {
                Eventually.holds(() ->
                        Files.readString(folder.resolve("postgres.log")).contains("pre-existing shared memory block"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            } finally {
                left.forEach(EmbeddedIT::wake);
            }
        });
        wake.start();
        Embedded.start(own.data()).stop();
        wake.join();
    }

    @Test
    void where_user_namespaces_are_closed_root_lends_it_the_user_nobody() throws Exception {
        assumeRoot();
        assumeTrue(reachable(folder), "the folder for temporary files is closed to other users");
        OwnServer.copyIn(folder);
        var cluster = new Cluster(folder.resolve("postgres"), Account.NOBODY.able(folder));
        cluster.create(Binaries.unpacked(folder));
        assertThat(Files.getAttribute(cluster.folder(), "unix:uid")).isEqualTo(65534);

        var server = Embedded.start(folder);
        var owner = Files.getAttribute(Path.of("/proc", Long.toString(server.pid())), "unix:uid");
        server.stop();
        assertThat(owner).isEqualTo(65534);
    }

    @Test
    void a_folder_that_nobody_can_reach_is_told_to_root() throws IOException {
        assumeRoot();
        var closed = Files.createDirectory(
                folder.resolve("closed"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var data = Files.createDirectory(closed.resolve("data"));
        assertThatThrownBy(() -> Account.NOBODY.able(data))
                .isInstanceOf(Database.Unavailable.class)
                .hasMessageContainingAll("the user nobody can not reach " + data, "--data", "--db");
    }

    @Test
    void an_ordinary_user_starts_it_too_and_is_told_of_a_folder_that_is_not_theirs() throws Exception {
        assumeRoot();
        assumeTrue(reachable(folder), "the folder for temporary files is closed to other users");
        var data = OwnServer.copyIn(Files.createDirectory(folder.resolve("data")));
        Files.setAttribute(folder, "unix:mode", 0755);
        Files.setAttribute(data, "unix:uid", 65534);
        var classPath = Gateway.copyOfClassPath(folder);
        try (var gateway = Gateway.startAs(65534, data, classPath)) {
            assertThat(gateway.line()).isEqualTo("ready");
            assertThat(Files.getAttribute(data.resolve("postgres"), "unix:uid")).isEqualTo(65534);
            assertThat(gateway.stop()).isEqualTo("stopped");
        }
        var others = Files.createDirectory(folder.resolve("others"));
        try (var gateway = Gateway.startAs(65534, others, classPath)) {
            assertThat(gateway.line()).startsWith("The data folder " + others + " can not be written (no permission);");
        }
    }

    private static void wake(ProcessHandle process) {
        try {
            new Postmaster(process.pid(), 0, "").signal("CONT");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean unfinished() throws IOException {
        try (var folders = Files.newDirectoryStream(folder, "postgres-unfinished-*")) {
            for (var each : folders) {
                if (Files.exists(each.resolve("cluster/base"))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void assumeRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can be somebody else");
    }

    private static boolean reachable(Path path) throws IOException {
        for (var part = path.toAbsolutePath(); part.getParent() != null; part = part.getParent()) {
            if (((Integer) Files.getAttribute(part, "unix:mode") & 1) == 0 && !part.startsWith(path)) {
                return false;
            }
        }
        return true;
    }
}
