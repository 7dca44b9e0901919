package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that the gateway runs inside of a container. */
class InsideContainerIT {

    @TempDir
    private static Path folder;

    private static TestDaemon daemon;
    private static TestDocker tasks;

    @BeforeAll
    static void open() throws Exception {
        daemon = new TestDaemon();
        tasks = new TestDocker(folder.toRealPath(), daemon.host());
    }

    @AfterAll
    static void close() throws Exception {
        if (tasks != null) {
            tasks.close();
        }
        if (daemon != null) {
            daemon.close();
        }
    }

    private static Exec.Ended ran(String name, String script, Map<String, String> environment) {
        return tasks.engine
                .exec(name, Command.script(script, environment))
                .compose(exec -> Exec.whole(exec, 4_000))
                .await();
    }

    private static void started(String name) {
        tasks.start(tasks.task(
                name,
                "touch /tmp/begun; echo begun; sleep 60",
                TestDaemon.IMAGE,
                Map.of(),
                Map.of("WHO", "it's me"),
                0));
        tasks.untilLogged(name, "begun");
    }

    @Test
    void a_program_sees_what_its_task_sees_and_has_no_more_rights() {
        started("host");
        var ended = ran(
                "host",
                "ls /tmp; pwd; echo \"$WHO $MORE\"; cat; grep CapBnd /proc/self/status",
                Map.of("MORE", "a\nb"));
        assertThat(ended.code()).isZero();
        assertThat(ended.output()).startsWith("begun\n/userhome\nit's me a\nb\n");
        assertThat(ended.output())
                .endsWith(ran("host", "grep CapBnd /proc/1/status", Map.of()).output());
        assertThat(tasks.log("host")).isEqualTo("begun\n");
        assertThat(ran("host", "mount -t tmpfs x /mnt || echo x > /proc/sysrq-trigger", Map.of())
                        .code())
                .isNotZero();
    }

    @Test
    void its_code_and_both_of_its_streams_arrive_and_only_the_last_is_kept() {
        started("coder");
        var both = ran("coder", "echo out; echo err >&2; exit 7", Map.of());
        assertThat(both.code()).isEqualTo(7);
        assertThat(both.output()).contains("out\n").contains("err\n");
        assertThat(ran("coder", "kill -KILL $$", Map.of()).code()).isEqualTo(137);
        var much = ran("coder", "seq 1 100000", Map.of());
        assertThat(much.output()).hasSize(4_000).endsWith("99999\n100000\n");
    }

    @Test
    void what_it_is_sent_and_prints_waits_for_who_is_slow_and_it_can_be_ended() {
        started("slow");
        var exec = tasks.engine.exec("slow", Command.script("cat", Map.of())).await();
        var piece = Buffer.buffer(new byte[32 * 1024]);
        while (!exec.input().writeQueueFull()) {
            var unused = exec.input().write(piece);
        }
        assertThat(exec.exit().isComplete()).isFalse();
        exec.end();
        exec.output().resume();
        exec.errors().resume();
        assertThat(exec.exit().await()).isEqualTo(137);
        TestDocker.until(
                "nothing is left of it",
                () -> !ran("slow", "cat /proc/[0-9]*/comm", Map.of()).output().contains("cat\ncat\n"));
    }

    @Test
    void a_terminal_has_a_size_that_changes_and_dies_when_it_is_ended() {
        started("typist");
        var exec = tasks.engine
                .exec("typist", Command.on(new Command.Screen(91, 33), "bash", "--norc"))
                .await();
        var seen = Buffer.buffer();
        exec.output().handler(piece -> {
            synchronized (seen) {
                seen.appendBuffer(piece);
            }
        });
        exec.output().resume();
        var size =
                "perl -e 'ioctl(STDIN, 0x5413, $w = qq(\\0) x 8); print qq(size-), join(q(x), unpack(q(S2), $w)), qq(\\n)'\n";
        exec.input().write(Buffer.buffer("echo $TERM-$((1 + 1)); " + size)).await();
        TestDocker.until("the first size", () -> shown(seen).contains("size-33x91"));
        assertThat(shown(seen)).contains("xterm-256color-2");
        exec.resize(new Command.Screen(120, 40)).await();
        exec.input()
                .write(Buffer.buffer(size + "echo grün; sleep 1234 & sleep 4321\n"))
                .await();
        TestDocker.until(
                "the second size",
                () -> shown(seen).contains("size-40x120") && shown(seen).contains("\ngrün"));
        TestDocker.until("it sleeps", () -> sleeping().contains("4321"));
        exec.end();
        assertThat(exec.exit().await()).isEqualTo(137);
        TestDocker.until("what it ran is over", () -> !sleeping().contains("4321"));
    }

    private static String sleeping() {
        return ran("typist", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", Map.of())
                .output();
    }

    private static String shown(Buffer seen) {
        synchronized (seen) {
            return seen.toString();
        }
    }

    @Test
    void it_ends_with_its_task_and_none_begins_afterwards() {
        started("short");
        var exec = tasks.engine
                .exec("short", Command.script("sleep 777", Map.of()))
                .await();
        exec.output().resume();
        exec.errors().resume();
        tasks.engine.stop("short", Duration.ZERO).await();
        assertThat(exec.exit().await()).isNotZero();
        tasks.over("short");
        assertThatThrownBy(() -> ran("short", "true", Map.of())).hasMessageContaining("does not run");
        assertThatThrownBy(() -> ran("never", "true", Map.of())).hasMessageContaining("does not run");
    }
}
