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

    @Test
    void pages_are_as_large_as_the_kernel_says() throws Exception {
        var facts = java.nio.ByteBuffer.allocate(48).order(java.nio.ByteOrder.nativeOrder());
        facts.putLong(6).putLong(65_536).putLong(17).putLong(250).putLong(0).putLong(0);
        assertThat(Kernel.of(facts.array())).isEqualTo(new Kernel(65_536, 250));
        assertThat(Kernel.of(new byte[0])).isEqualTo(new Kernel(4096, 100));
        var page = new ProcessBuilder("getconf", "PAGESIZE").start();
        long real = Long.parseLong(
                new String(page.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).strip());
        assertThat(Kernel.of(java.nio.file.Files.readAllBytes(java.nio.file.Path.of("/proc/self/auxv")))
                        .page())
                .isEqualTo(real);
    }
}
