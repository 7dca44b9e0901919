package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway is killed as by {@code kill -9}; the next one finds everything, and starts nothing twice. */
class KilledGatewayIT {

    private static final String SCRIPT = "echo ran >> mark; exit 37";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"engine.afterCreate", "engine.afterStart"})
    void a_start_that_was_cut_off_happens_once(String failpoint) throws Exception {
        EngineChild.dieAt(failpoint, List.of(folder.toString(), "hold", "cut", SCRIPT));
        try (var tasks = new TestEngine(folder)) {
            assertThat(tasks.engine.list().await()).hasSize(1);
            tasks.start(tasks.task("cut", SCRIPT));
            TestEngine.until("its end", () -> tasks.seen("cut").isOver());

            assertThat(tasks.seen("cut").exitCode()).isEqualTo(37);
            assertThat(Files.readString(folder.resolve("homes/ann/mark"))).isEqualTo("ran\n");
        }
    }

    @Test
    void a_task_goes_on_and_ends_while_no_gateway_is_there() throws Exception {
        var gateway = hold("alone", "echo up; while [ ! -e go ]; do sleep 0.05; done; echo late; exit 37");
        gateway.destroyForcibly().waitFor();
        try (var tasks = new TestEngine(folder)) {
            tasks.untilLogged("alone", "up");
            assertThat(tasks.seen("alone").state()).isEqualTo(State.RUNNING);
            assertThat(tasks.seen("alone").labels()).containsEntry("job", "j1");
        }
        // it was stopped when that gateway was closed; its supervisor has a moment more to tidy up after it
        assertThat(TestEngine.processes("/begin " + folder)).isEmpty();
        supervisorsEnd();

        var second = hold("alone2", "echo up; while [ ! -e go ]; do sleep 0.05; done; echo late; exit 37");
        // it has been sent off, and comes in its own time
        TestEngine.until(
                "the supervisor",
                () -> !TestEngine.processes("supervise " + folder).isEmpty());
        var supervisor = TestEngine.processes("supervise " + folder);
        second.destroyForcibly().waitFor();
        assertThat(TestEngine.processes("supervise " + folder))
                .isEqualTo(supervisor)
                .hasSize(1);
        Files.createFile(folder.resolve("homes/ann/go"));
        supervisorsEnd();
        try (var tasks = new TestEngine(folder)) {
            var run = tasks.seen("alone2");
            assertThat(run.state()).isEqualTo(State.ENDED);
            assertThat(run.exitCode()).isEqualTo(37);
            assertThat(run.ended()).isAfter(run.started());
            assertThat(tasks.log("alone2")).isEqualTo("up\nlate\n");
        }
    }

    @Test
    void a_task_that_is_found_running_is_told_of_when_it_ends() throws Exception {
        var gateway = hold("found", "echo up; while [ ! -e go ]; do sleep 0.05; done; exit 9");
        gateway.destroyForcibly().waitFor();
        try (var tasks = new TestEngine(folder)) {
            var again = (Started.Running)
                    tasks.engine.start(tasks.task("found", "exit 1")).await();
            assertThat(again.again()).isTrue();
            Files.createFile(folder.resolve("homes/ann/go"));
            assertThat(tasks.over("found").exitCode()).isEqualTo(9);
        }
    }

    @Test
    void a_stop_that_was_cut_off_is_carried_out_by_the_next_gateway() throws Exception {
        EngineChild.dieAt(
                "engine.afterStopIntent", List.of(folder.toString(), "stop", "stopped", "echo up; exec sleep 4747"));
        assertThat(TestEngine.processes("sleep 4747")).hasSize(1);
        try (var tasks = new TestEngine(folder)) {
            TestEngine.until("its end", () -> tasks.seen("stopped").isOver());
            assertThat(tasks.seen("stopped").signal()).isEqualTo(15);
            assertThat(TestEngine.processes("sleep 4747")).isEmpty();
        }
    }

    @Test
    void kills_at_any_moment_of_many_starts_lose_none_and_double_none() throws Exception {
        for (int round = 0; round < 6; round++) {
            var gateway = EngineChild.command(
                            List.of(),
                            "engine.after" + (round % 2 == 0 ? "Create" : "Start") + ":kill:1",
                            System.getProperty("java.class.path"),
                            List.of(folder.toString(), "hold", "round-" + round, "echo " + round + " >> mark"))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            assertThat(gateway.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        try (var tasks = new TestEngine(folder)) {
            for (int round = 0; round < 6; round++) {
                tasks.start(tasks.task("round-" + round, "echo " + round + " >> mark"));
            }
            TestEngine.until(
                    "all to be over", () -> tasks.engine.list().await().stream().allMatch(Run::isOver));
            assertThat(Files.readAllLines(folder.resolve("homes/ann/mark")))
                    .containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5");
        }
    }

    private void supervisorsEnd() {
        TestEngine.until(
                "the supervisors to end",
                () -> TestEngine.processes("supervise " + folder).isEmpty());
    }

    private Process hold(String name, String script) throws IOException {
        var gateway = EngineChild.command(
                        List.of(),
                        "",
                        System.getProperty("java.class.path"),
                        List.of(folder.toString(), "hold", name, script))
                .start();
        try (var said = gateway.inputReader()) {
            assertThat(said.lines().anyMatch("started"::equals)).isTrue();
        }
        return gateway;
    }
}
