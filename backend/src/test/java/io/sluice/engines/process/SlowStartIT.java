package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import java.io.IOException;
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

/** On a machine without perl tasks start by programs alone; what starts them is another, how they fare is not. */
class SlowStartIT {
    private static final String WAY = "sluice.engine.starter";

    @TempDir
    private Path folder;

    private TestEngine tasks;

    @BeforeEach
    void open() throws IOException {
        System.setProperty(WAY, "shell");
        try {
            tasks = new TestEngine(folder);
        } finally {
            System.clearProperty(WAY);
        }
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void a_task_runs_in_a_root_of_its_own_to_its_end() throws IOException {
        var files = Map.of("KEY", "it's \"$HOME\"\n`x` \\", "odd-key", "1,2");
        tasks.start(tasks.task(
                "hello", "echo \"$KEY\"; env | grep odd; ls -d /proc/[0-9]* | wc -l; exit 3", files, Map.of(), 50));

        var run = tasks.over("hello");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(tasks.log("hello")).startsWith("it's \"$HOME\"\n`x` \\\nodd-key=1,2\n");
        assertThat(Files.exists(folder.resolve("engine/starter.log"))).isFalse();
        if (tasks.node.isolated()) {
            assertThat(Integer.parseInt(tasks.log("hello").lines().toList().getLast()))
                    .isLessThan(8);
        }
    }

    @Test
    void a_task_ends_when_it_is_asked_to_or_by_force() {
        tasks.start(tasks.task("polite", "trap 'echo bye; exit 7' TERM; echo here; while :; do sleep 0.05; done"));
        tasks.start(tasks.task("deaf", "trap '' TERM; echo here; while :; do sleep 0.05; done"));
        for (var name : List.of("polite", "deaf")) {
            tasks.untilLogged(name, "here");
        }
        tasks.engine.stop("polite", Duration.ofSeconds(20)).await();
        assertThat(tasks.over("polite").exitCode()).isEqualTo(7);
        tasks.engine.stop("deaf", Duration.ofMillis(100)).await();
        assertThat(tasks.over("deaf").signal()).isEqualTo(9);
    }

    @Test
    void a_supervisor_that_is_killed_takes_its_task_along() throws IOException {
        tasks.start(tasks.task("orphan", "echo here; sleep 4848"));
        tasks.untilLogged("orphan", "here");
        ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("engine/runs/orphan/claim"))
                        .split(" ")[0]))
                .orElseThrow()
                .destroyForcibly();

        assertThat(tasks.over("orphan").state()).isEqualTo(State.LOST);
        assertThat(TestEngine.processes("sleep 4848")).isEmpty();
    }

    @Test
    void many_at_once_start_once_each() {
        IntStream.range(0, 20)
                .mapToObj(i -> tasks.engine.start(tasks.task("many-" + i, "exit " + i)))
                .toList()
                .forEach(start -> assertThat(start.await()).isNotNull());
        TestEngine.until(
                "all to be over", () -> tasks.engine.list().await().stream().allMatch(Run::isOver));
        for (var run : tasks.engine.list().await()) {
            assertThat("many-" + run.exitCode()).isEqualTo(run.name());
        }
    }
}
