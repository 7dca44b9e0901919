package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.engines.process.shell.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a task sees of the machine, and what it leaves behind. */
class TaskIsolationIT {

    @TempDir
    private Path folder;

    private TestEngine tasks;

    @BeforeEach
    void open() throws IOException {
        // a name that every reader of a line, a shell or a table could stumble over
        folder = Files.createDirectory(folder.resolve("it's \\ #1"));
        tasks = new TestEngine(folder);
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void the_gateways_files_and_other_homes_can_not_be_seen() throws IOException {
        assumeIsolated();
        Files.writeString(folder.resolve("signing.key"), "secret");
        var other = Files.createDirectories(folder.resolve("homes/bob")).resolve("diary");
        Files.writeString(other, "secret");

        var quoted = Shell.quote(folder.toString());
        var run = tasks.run(
                "curious",
                "cat %s/signing.key %s; ls -A %s /home /root; find / -xdev -name signing.key -o -name diary; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -i classpath; exit 0"
                        .formatted(quoted, Shell.quote(other.toString()), quoted));

        assertThat(run.exitCode()).isZero();
        assertThat(tasks.log("curious")).doesNotContain("secret").doesNotContain("bob/diary\n");
        assertThat(tasks.log("curious")
                        .lines()
                        .filter(line -> line.contains("No such file"))
                        .count())
                .isEqualTo(3);
    }

    @Test
    void the_system_and_the_shared_data_can_only_be_read() throws IOException {
        assumeIsolated();
        Files.writeString(tasks.shared.resolve("set"), "data\n");
        tasks.run("tourist", """
                cat /gdata/set
                for file in /usr/x /etc/x /gdata/x /sys/devices/x /proc/sys/kernel/domainname /proc/sysrq-trigger; do
                  echo x 2>&- > $file && echo wrote $file
                done
                mount -o remount,rw,bind /usr > /dev/null 2>&1 && echo remounted
                unshare -Urm mount -o remount,rw,bind /usr > /dev/null 2>&1 && echo remounted
                cat /etc/shadow /etc/gshadow 2>&-
                mkdir /workspace && echo x > /tmp/x && echo x > /dev/shm/x && echo x > /userhome/x && echo own
                df -m --output=size /dev/shm | tail -1 | tr -d ' '
                """);

        assertThat(tasks.log("tourist").lines()).containsExactly("data", "own", "64");
        assertThat(tasks.home.resolve("x")).exists();
    }

    @Test
    void a_task_sees_its_own_processes_only_and_a_terminal_can_be_had() {
        assumeIsolated();
        tasks.run("alone", "ls -d /proc/[0-9]* | wc -l; python3 -c 'import os; print(os.ttyname(os.openpty()[1]))'");
        assertThat(tasks.log("alone").lines().map(String::strip).toList().getLast())
                .isEqualTo("/dev/pts/0");
        assertThat(Integer.parseInt(
                        tasks.log("alone").lines().findFirst().orElseThrow().strip()))
                .isLessThan(6);
    }

    @Test
    void what_was_written_can_not_be_cut_off() {
        tasks.run("cutter", "echo kept; echo lost > /dev/stdout; echo also kept");
        assertThat(tasks.log("cutter"))
                .startsWith("kept\n")
                .endsWith("also kept\n")
                .doesNotContain("lost\n");
    }

    @Test
    void no_secret_is_on_a_command_line_and_the_folder_is_closed() throws IOException {
        var secret = "s3cr3t-" + System.nanoTime();
        var script = "echo " + secret + " > /dev/null; touch /userhome/up; sleep 60";
        tasks.start(tasks.task(
                "secretive", script, java.util.Map.of("KEY", secret, "odd-key", secret), java.util.Map.of(), 0));
        TestEngine.until("the task to be up", () -> Files.exists(tasks.home.resolve("up")));

        assertThat(TestEngine.processes(secret)).isEmpty();
        assertThat(TestEngine.processes("/runs/secretive")).isNotEmpty();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(folder.resolve("engine/runs/secretive"))))
                .isEqualTo("rwx------");
    }

    @Test
    void a_thousand_children_end_with_their_task() {
        tasks.start(tasks.task("parent", "trap '' TERM; for i in {1..1000}; do sleep 4242 & done; echo forked; wait"));
        tasks.untilLogged("parent", "forked");
        assertThat(TestEngine.processes("sleep 4242")).hasSizeGreaterThan(990);
        tasks.engine.stop("parent", Duration.ofMillis(200)).await();

        assertThat(tasks.over("parent").state().name()).isEqualTo("ENDED");
        assertThat(TestEngine.processes("sleep 4242")).isEmpty();
    }

    @Test
    void what_a_task_left_running_ends_with_it_and_what_it_wrote_stays() {
        var run = tasks.run(
                "leaver",
                "(trap '' TERM HUP; while :; do echo more; sleep 0.01; done) & setsid -f sleep 4343; sleep 0.2; exit 4");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(tasks.log("leaver")).contains("more");
        var size = tasks.log("leaver").length();
        assertThat(TestEngine.processes("sleep 4343")).isEmpty();
        assertThat(tasks.log("leaver")).hasSize(size);
    }

    @Test
    void a_daemon_and_a_stopped_process_end_too() {
        tasks.start(
                tasks.task(
                        "daemons",
                        "setsid -f setsid -f sleep 4444; (setsid sleep 4445 & ); sleep 4446 & kill -STOP $!; echo up; kill -STOP $$"));
        tasks.untilLogged("daemons", "up");
        tasks.engine.stop("daemons", Duration.ofSeconds(20)).await();

        var run = tasks.over("daemons");
        assertThat(run.exitCode()).isEqualTo(143);
        assertThat(run.signal()).isEqualTo(15);
        assertThat(TestEngine.processes("sleep 444")).isEmpty();
    }

    @Test
    void running_out_of_memory_is_told_apart() {
        assumeThat(tasks.node.limitsEnforced()).as(tasks.node.limitsNote()).isTrue();
        tasks.start(tasks.task(
                "hungry",
                "python3 -c 'x = bytearray(400 << 20); print(len(x))'; exit $?",
                java.util.Map.of(),
                java.util.Map.of(),
                100));
        var run = tasks.over("hungry");
        assertThat(run.outOfMemory()).isTrue();
        assertThat(run.exitCode()).isEqualTo(137);
        assertThat(tasks.run("modest", "exit 137").outOfMemory()).isFalse();

        tasks.start(tasks.task(
                "starved",
                "x=$(head -c 4000000 /dev/zero | tr '\\0' x); exit 0",
                java.util.Map.of(),
                java.util.Map.of(),
                1));
        var starved = tasks.over("starved");
        assertThat(starved.exitCode()).isEqualTo(137);
        assertThat(starved.outOfMemory()).isTrue();
    }

    private void assumeIsolated() {
        assumeThat(tasks.node.isolated()).as(tasks.node.isolationNote()).isTrue();
    }
}
