package io.sluice.telemetry.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On real processes of this machine. */
class TaskProbeTest {
    @Test
    void a_task_has_the_processor_time_of_all_its_processes_also_of_those_that_have_ended() throws Exception {
        var probe = TaskProbe.open();
        Process task = new ProcessBuilder(
                        "bash",
                        "-c",
                        "for i in 1 2; do ( x=0; while [ $x -lt 200000 ]; do x=$((x+1)); done ); done; sleep 60 & wait")
                .start();
        try {
            Usage usage = look(probe, task);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while ((usage.processes().size() < 2 || usage.cpuSeconds() < 0.05) && System.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(20);
                usage = look(probe, task);
            }
            assertThat(usage.cpuSeconds()).isGreaterThanOrEqualTo(0.05);
            assertThat(usage.memoryBytes()).isGreaterThan(100_000);
            assertThat(usage.processes()).contains(task.pid());
            assertThat(usage.receivedBytes()).as("its network is everybody's").isNaN();
        } finally {
            task.descendants().forEach(ProcessHandle::destroyForcibly);
            task.destroyForcibly().waitFor();
        }
        assertThat(probe.look(Map.of("run", task.pid())))
                .as("one that has ended")
                .isEmpty();
    }

    private static Usage look(TaskProbe probe, Process task) throws Exception {
        return Objects.requireNonNull(probe.look(Map.of("run", task.pid())).get("run"));
    }
}
