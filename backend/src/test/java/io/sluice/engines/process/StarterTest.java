package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.engines.Run.State;
import io.sluice.engines.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process that starts all tasks of a gateway may die; supervisors do not need it. */
class StarterTest {

    @TempDir
    private Path folder;

    private TestEngine tasks;

    @BeforeEach
    void open() throws IOException {
        tasks = new TestEngine(folder);
        tasks.run("warm", "exit 0");
        assumeThat(starters()).as("perl is here").isNotEmpty();
    }

    @AfterEach
    void close() {
        tasks.close();
    }

    @Test
    void a_task_outlives_what_started_it_and_the_next_one_starts() throws IOException {
        tasks.start(tasks.task("before", "echo up; while [ ! -e go ]; do sleep 0.02; done; exit 5"));
        tasks.untilLogged("before", "up");
        starters().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        TestEngine.until("the starter to be gone", () -> starters().isEmpty());

        assertThat(tasks.run("after", "exit 6").exitCode()).isEqualTo(6);
        assertThat(tasks.seen("before").state()).isEqualTo(State.RUNNING);
        Files.createFile(tasks.home.resolve("go"));
        assertThat(tasks.over("before").exitCode()).isEqualTo(5);
    }

    @Test
    void what_it_can_not_set_up_is_said() throws IOException {
        var task = tasks.task("homeless", "exit 0");
        var gone = Files.createDirectory(folder.resolve("gone"));
        var mounts = List.of(new Task.Mount(gone, "/proc/none/there", false));
        tasks.start(new Task(
                task.name(),
                task.labels(),
                task.node(),
                task.script(),
                task.environment(),
                null,
                1,
                0,
                0,
                task.devices(),
                task.ports(),
                mounts,
                task.output()));

        var run = tasks.over("homeless");
        assertThat(run.exitCode()).isEqualTo(125);
        assertThat(run.detail())
                .as(Files.readString(folder.resolve("engine/ended/homeless")))
                .contains("/proc/none/there");
    }

    private List<Long> starters() {
        var ours = TestEngine.processes(folder.resolve("engine").toString());
        return TestEngine.processes("/starter ").stream().filter(ours::contains).toList();
    }
}
