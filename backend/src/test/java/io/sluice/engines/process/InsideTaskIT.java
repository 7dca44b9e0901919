package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that the gateway runs inside of a task, and the ports that a task has open. */
class InsideTaskIT {

    @TempDir
    private Path folder;

    private TestEngine tasks;

    @BeforeEach
    void open() throws IOException {
        tasks = new TestEngine(folder);
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    private Exec.Ended ran(String name, String script, Map<String, String> environment) {
        return tasks.engine
                .exec(name, Command.script(script, environment))
                .compose(exec -> Exec.whole(exec, 4_000))
                .await();
    }

    private void started(String name, String script) {
        tasks.start(tasks.task(name, "touch /tmp/begun; echo begun; " + script, Map.of("WHO", "it's me"), Map.of(), 0));
        tasks.untilLogged(name, "begun");
    }

    @Test
    void a_program_sees_what_its_task_sees() {
        started("host", "sleep 60");
        var ended = ran(
                "host", "ls /tmp; pwd; echo \"$WHO $MORE\"; ls -d /proc/[0-9]* | wc -l; cat", Map.of("MORE", "a\nb"));
        assertThat(ended.code()).isZero();
        assertThat(ended.output()).startsWith("begun\n/userhome\nit's me a\nb\n");
        assertThat(tasks.log("host")).isEqualTo("begun\n");
    }

    @Test
    void a_program_that_comes_while_its_task_begins_waits_until_it_is_there() {
        for (int i = 0; i < 5; i++) {
            tasks.start(tasks.task("early-" + i, "sleep 60", Map.of(), Map.of(), 0));
            var ended = ran("early-" + i, "ls -d /userhome; pwd", Map.of());
            assertThat(ended.output()).isEqualTo("/userhome\n/userhome\n");
        }
    }

    /** It was started before supervisors told when others may come in, and never tells. */
    @Test
    void a_task_of_an_earlier_gateway_lets_programs_in() throws IOException {
        started("old", "sleep 60");
        Path run = folder.resolve("engine/runs/old");
        Path about = run.resolve(RunFolder.ABOUT);
        var known = new JsonObject(Files.readString(about));
        assertThat(known.remove(RunFolder.TELLS_BEGUN)).isEqualTo(true);
        Files.writeString(about, known.encode());
        Path status = run.resolve("status");
        Files.writeString(status, Files.readString(status).replace("begun=\n", ""));
        assertThat(ran("old", "pwd", Map.of()).output()).isEqualTo("/userhome\n");
    }

    @Test
    void a_program_has_no_more_rights_than_its_task() {
        started("humble", "grep -E 'Cap(Inh|Bnd)' /proc/self/status; sleep 60");
        tasks.untilLogged("humble", "CapBnd");
        assertThat("begun\n"
                        + ran("humble", "grep -E 'Cap(Inh|Bnd)' /proc/self/status", Map.of())
                                .output())
                .isEqualTo(tasks.log("humble"));
        assertThat(ran("humble", "echo x > /etc/x || mount -o remount,rw,bind /usr", Map.of())
                        .code())
                .isNotZero();
    }

    @Test
    void its_code_and_both_of_its_streams_arrive_and_only_the_last_is_kept() {
        started("coder", "sleep 60");
        assertThat(ran("coder", "echo out; echo err >&2; exit 7", Map.of()).code())
                .isEqualTo(7);
        assertThat(ran("coder", "kill -KILL $$", Map.of()).code()).isEqualTo(137);
        var much = ran("coder", "seq 1 100000", Map.of());
        assertThat(much.output()).hasSize(4_000).endsWith("99999\n100000\n");
    }

    @Test
    void what_it_reads_and_prints_waits_for_who_is_slow() {
        started("slow", "sleep 60");
        var exec = tasks.engine.exec("slow", Command.script("cat", Map.of())).await();
        var piece = Buffer.buffer(new byte[32 * 1024]);
        while (!exec.input().writeQueueFull()) {
            var unused = exec.input().write(piece);
        }
        // nobody reads, so nobody can write for long: the buffers of both pipes are all that there is
        assertThat(exec.exit().isComplete()).isFalse();
        exec.end();
        assertThat(exec.exit().await()).isEqualTo(137);
    }

    @Test
    void a_terminal_has_a_size_that_changes() {
        started("typist", "sleep 60");
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
        exec.input().write(Buffer.buffer("stty size; tty\n")).await();
        TestEngine.until("the first size", () -> shown(seen).contains("33 91"));
        assertThat(shown(seen)).doesNotContain("not a tty");
        exec.resize(new Command.Screen(120, 40)).await();
        exec.input().write(Buffer.buffer("stty size; echo grün; exit 3\n")).await();
        TestEngine.until("the second size", () -> shown(seen).contains("40 120"));
        assertThat(exec.exit().await()).isEqualTo(3);
        assertThat(shown(seen)).contains("grün");
    }

    private static String shown(Buffer seen) {
        synchronized (seen) {
            return seen.toString();
        }
    }

    @Test
    void it_ends_with_its_task_and_none_begins_afterwards() {
        started("short", "sleep 60");
        var exec = tasks.engine
                .exec("short", Command.script("sleep 777", Map.of()))
                .await();
        tasks.engine.stop("short", Duration.ZERO).await();
        assertThat(exec.exit().await()).isNotZero();
        tasks.over("short");
        assertThatThrownBy(() -> ran("short", "true", Map.of())).hasMessageContaining("does not run");
        assertThatThrownBy(() -> ran("never", "true", Map.of())).hasMessageContaining("does not run");
    }

    @Test
    void what_was_put_into_the_background_goes_on_until_the_task_ends() {
        started("keeper", "sleep 60");
        ran("keeper", "setsid nohup sleep 778 > /dev/null 2>&1 < /dev/null & echo left", Map.of());
        TestEngine.until("it goes on", () -> !TestEngine.processes("sleep 778").isEmpty());
        tasks.engine.stop("keeper", Duration.ZERO).await();
        tasks.over("keeper");
        TestEngine.until(
                "nothing is left", () -> TestEngine.processes("sleep 778").isEmpty());
    }

    @Test
    void only_what_the_task_itself_listens_on_is_reached() throws IOException {
        started("listener", "sleep 60");
        started("other", "sleep 60");
        var address = tasks.engine.port("listener").await();
        int port = address.port();
        assertThat(tasks.engine.port("other").await().port()).isNotEqualTo(port);
        assertThat(tasks.engine.reach("listener", port).await()).isEmpty();
        var listen =
                "exec setsid nohup python3 -c 'import socket,time\ns=socket.socket(); s.bind((\"%s\", %d)); s.listen(); time.sleep(60)' > /dev/null 2>&1 < /dev/null &"
                        .formatted(address.host(), port);
        ran("listener", listen, Map.of());
        TestEngine.until(
                "it listens", () -> tasks.engine.reach("listener", port).await().isPresent());
        assertThat(tasks.engine.reach("listener", port).await().orElseThrow().host())
                .isEqualTo("127.0.0.1");
        assertThat(tasks.engine.reach("other", port).await()).isEmpty();
        try (var ours = new ServerSocket(0)) {
            assertThat(tasks.engine.reach("listener", ours.getLocalPort()).await())
                    .isEmpty();
        }
        tasks.engine.stop("listener", Duration.ZERO).await();
        tasks.over("listener");
        assertThatThrownBy(() -> tasks.engine.reach("listener", port).await()).hasMessageContaining("does not run");
    }

    @Test
    void so_many_at_once_and_no_more() {
        started("crowd", "sleep 60");
        var all = IntStream.range(0, 128)
                .mapToObj(i -> tasks.engine.exec("crowd", new Command(List.of("sleep", "60"), Map.of(), null)))
                .toList();
        all.forEach(one -> one.await());
        assertThatThrownBy(() -> ran("crowd", "true", Map.of())).hasMessageContaining("128 programs");
        all.forEach(one -> one.await().end());
        all.forEach(one -> one.await().exit().await());
        assertThat(ran("crowd", "echo again", Map.of()).output()).isEqualTo("again\n");
    }
}
