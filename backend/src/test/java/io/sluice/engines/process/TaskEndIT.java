package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.EngineTasks;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.TaskEnds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How processes end, and that the truth is told about it. */
class TaskEndIT extends TaskEnds {

    @TempDir
    private Path folder;

    private TestEngine tasks;

    @BeforeEach
    void open() throws IOException {
        tasks = new TestEngine(folder);
    }

    @Override
    protected EngineTasks contract() {
        return tasks;
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @ParameterizedTest
    @CsvSource({"HUP,1", "INT,2", "ABRT,6", "KILL,9", "USR1,10", "SEGV,11", "PIPE,13", "TERM,15", "RTMAX,64"})
    void every_signal_is_told(String name, int number) {
        var run = tasks.run("signal", "kill -" + name + " $$; sleep 60");
        assertThat(run.signal()).isEqualTo(number);
        assertThat(run.exitCode()).isEqualTo(128 + number);
    }

    @Test
    void a_supervisor_that_is_killed_takes_its_task_along() throws IOException {
        for (int i = 0; i < 10; i++) {
            var name = "orphan-" + i;
            tasks.start(tasks.task(name, "sleep 4545"));
            var claim = folder.resolve("engine/runs/" + name + "/claim");
            TestEngine.until("a claim", () -> Files.exists(claim));
            java.util.concurrent.locks.LockSupport.parkNanos(i * 3_000_000L);
            ProcessHandle.of(Long.parseLong(Files.readString(claim).split(" ")[0]))
                    .orElseThrow()
                    .destroyForcibly();

            var run = tasks.over(name);
            assertThat(run.state()).isEqualTo(State.LOST);
            assertThat(run.detail()).isNotBlank();
            assertThat(TestEngine.processes("sleep 4545")).isEmpty();
        }
    }

    @Test
    void a_supervisor_that_does_not_answer_is_passed_over() throws Exception {
        tasks.start(tasks.task("frozen", "touch up; sleep 4646"));
        TestEngine.until("the task to be up", () -> Files.exists(tasks.home.resolve("up")));
        var pid = Files.readString(folder.resolve("engine/runs/frozen/claim")).split(" ")[0];
        new ProcessBuilder("bash", "-c", "kill -STOP " + pid).start().waitFor();
        tasks.engine.stop("frozen", Duration.ZERO).await();

        var run = tasks.over("frozen");
        assertThat(run.exitCode()).isEqualTo(137);
        assertThat(TestEngine.processes("sleep 4646")).isEmpty();
    }

    @Test
    void what_ran_before_a_restart_of_the_machine_is_lost_and_its_number_is_left_alone() throws Exception {
        var stranger = new ProcessBuilder("sleep", "60").start();
        try {
            fake("rebooted", stranger.pid() + " 1 4f1c0000-0000-0000-0000-000000000000 1700000000000");
            fake("reused", stranger.pid() + " 1 " + Incarnation.bootOfNow() + " 1700000000000");
            fake("unbegun", null);
            fake("cut-off", "");
            fake("half", "4711 1 4f1c");

            assertThat(tasks.seen("rebooted").state()).isEqualTo(State.LOST);
            assertThat(tasks.seen("rebooted").detail()).contains("restarted");
            assertThat(tasks.seen("reused").state()).isEqualTo(State.LOST);
            assertThat(tasks.seen("unbegun").state()).isEqualTo(State.LOST);
            assertThat(((Started.Running) tasks.engine
                                    .start(tasks.task("unbegun", "exit 0"))
                                    .await())
                            .again())
                    .isTrue();
            for (var name : List.of("cut-off", "half")) {
                assertThat(tasks.seen(name).state())
                        .as("a claim lost with the power")
                        .isEqualTo(State.LOST);
                assertThat(tasks.seen(name).detail()).contains("restarted");
            }
            for (var name : List.of("rebooted", "reused", "unbegun", "cut-off", "half")) {
                tasks.engine.stop(name, Duration.ZERO).await();
                tasks.engine.remove(name).await();
            }
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    private void fake(String name, @org.jspecify.annotations.Nullable String claim) throws IOException {
        var run = Files.createDirectories(folder.resolve("engine/runs/" + name));
        Files.writeString(
                run.resolve("about.json"),
                "{\"labels\":{},\"ports\":[],\"boot\":\"%s\"}"
                        .formatted(
                                name.equals("reused")
                                        ? Incarnation.bootOfNow()
                                        : "4f1c0000-0000-0000-0000-000000000000"));
        if (claim != null) {
            Files.writeString(run.resolve("claim"), claim);
        }
    }
}
