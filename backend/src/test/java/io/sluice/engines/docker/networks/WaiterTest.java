package io.sluice.engines.docker.networks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WaiterTest {

    private static final List<String> EMULATORS = List.of("/usr/bin/qemu-aarch64-static", "/usr/bin/qemu-aarch64");

    @TempDir
    private Path folder;

    @Test
    void the_program_of_this_machine_waits_and_goes_on_waiting_after_a_signal() throws Exception {
        waits(System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64", List.of());
    }

    @Test
    void that_of_the_other_processor_does_so_too_where_something_runs_it() throws Exception {
        var emulator =
                EMULATORS.stream().filter(path -> Files.exists(Path.of(path))).findFirst();
        assumeThat(emulator).as("qemu-user is installed").isPresent();
        waits("aarch64", List.of(emulator.orElseThrow()));
    }

    private void waits(String architecture, List<String> by) throws IOException, InterruptedException {
        var program = folder.resolve("wait");
        Files.write(program, Waiter.of(architecture).orElseThrow());
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("r-xr-xr-x"));
        var command = new java.util.ArrayList<>(by);
        command.add(program.toString());
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            until(process, "waiting", "S");
            signal(process, "STOP");
            until(process, "stopped", "T");
            signal(process, "CONT");
            until(process, "waiting again", "S");
            process.destroyForcibly();
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid())
                        .start()
                        .waitFor())
                .isZero();
    }

    /** A program that has not begun yet may be waiting too, for its file. */
    private static void until(Process process, String what, String state) throws IOException {
        var stat = Path.of("/proc/" + process.pid() + "/stat");
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10); ; LockSupport.parkNanos(2_000_000)) {
            assertThat(process.isAlive() && System.nanoTime() < end).as(what).isTrue();
            var fields = Files.readString(stat);
            if (fields.substring(fields.lastIndexOf(')') + 2).startsWith(state) && !fields.contains("(java)")) {
                return;
            }
        }
    }

    @Test
    void there_is_none_for_a_processor_that_nobody_wrote_one_for() {
        assertThat(Waiter.of("riscv64")).isEmpty();
        assertThat(Waiter.of("null")).isEmpty();
    }
}
