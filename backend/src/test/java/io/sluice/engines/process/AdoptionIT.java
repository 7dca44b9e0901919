package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an earlier gateway has left is taken over, however much it is, and keeps nobody waiting who need not. */
class AdoptionIT {
    private static final System.Logger log = System.getLogger(AdoptionIT.class.getName());
    private static final int RUNNING = 300;
    private static final int ENDED = 2_000;
    private static final int PORT = 9_731;

    @TempDir
    private Path folder;

    /** Takes the part of every supervisor. */
    private Process living;

    @BeforeEach
    void live() throws IOException {
        living = new ProcessBuilder("sleep", "1000").start();
        Files.createDirectories(folder.resolve("engine/ended"));
        new TestEngine(folder).close();
    }

    @AfterEach
    void end() throws InterruptedException {
        living.destroyForcibly().waitFor();
    }

    @Test
    void to_open_costs_what_runs_and_not_what_has_ended() throws Exception {
        for (int number = 0; number < RUNNING; number++) {
            runs("running" + number, List.of());
        }
        long runningOnly = readsToOpen();
        for (int number = 0; number < ENDED; number++) {
            ended("ended" + number);
        }
        long all = readsToOpen();

        assertThat(runningOnly).as("what is counted is the reading of runs").isGreaterThan(RUNNING);
        assertThat(all - runningOnly).as("reads for what has ended").isLessThan(ENDED / 2);
    }

    /** Calls of the operating system that read a file, until all is taken over. */
    private long readsToOpen() throws IOException {
        long before = reads();
        long began = System.nanoTime();
        var tasks = new TestEngine(folder);
        try {
            long opened = System.nanoTime();
            untilAdopted(tasks);
            long reads = reads() - before;
            log.log(
                    System.Logger.Level.INFO,
                    "opened_millis={0} adopted_millis={1} reads={2}",
                    Duration.ofNanos(opened - began).toMillis(),
                    Duration.ofNanos(System.nanoTime() - began).toMillis(),
                    reads);
            assertThat(tasks.registry.getSampleValue("sluice_engine_running")).isEqualTo(RUNNING);
            return reads;
        } finally {
            tasks.leave();
        }
    }

    private static long reads() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("syscr: "))
                .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void the_engine_is_there_while_it_takes_over_and_gives_nothing_away_that_is_in_use() throws Exception {
        var about = runs("slow", List.of(PORT)).resolve(RunFolder.ABOUT);
        var door = folder.resolve("door");
        var text = Files.readString(about);
        Files.delete(about);
        assertThat(new ProcessBuilder("mkfifo", door.toString()).start().waitFor())
                .isZero();
        Files.createLink(about, door);

        try (var tasks = new TestEngine(folder)) {
            assertThat(tasks.registry.getSampleValue("sluice_engine_adopting")).isEqualTo(1);
            var start = tasks.engine.start(tasks.task("new", "exit 0", Map.of(), Map.of("web", List.of(PORT)), 0));
            assertThat(tasks.engine.inventory().await().nodes()).hasSize(1);
            assertThat(tasks.engine.processes().await()).containsOnlyKeys("slow");
            assertThat(start.isComplete())
                    .as("nobody knows yet who has which port")
                    .isFalse();

            var whole = Files.writeString(folder.resolve("about"), text);
            Files.move(whole, about, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Files.writeString(door, text);
            assertThat(start.await())
                    .isInstanceOfSatisfying(
                            Started.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(Reason.PORT_TAKEN));
            assertThat(tasks.registry.getSampleValue("sluice_engine_adopting")).isZero();
            assertThat(tasks.seen("slow").state()).isEqualTo(State.RUNNING);
            living.destroyForcibly().waitFor();
        }
    }

    private static void untilAdopted(TestEngine tasks) {
        TestEngine.until("all to be taken over", () -> tasks.registry.getSampleValue("sluice_engine_adopting") == 0);
    }

    private Path runs(String name, List<Integer> ports) throws IOException {
        var run = Files.createDirectories(folder.resolve("engine/runs").resolve(name));
        var boot = Incarnation.bootOfNow();
        var start = Incarnation.of(living.pid()).orElseThrow().start();
        Files.writeString(
                run.resolve(RunFolder.ABOUT), "{\"labels\":{},\"ports\":" + ports + ",\"boot\":\"" + boot + "\"}");
        Files.writeString(run.resolve("claim"), living.pid() + " " + start + " " + boot + " 1\n");
        Files.writeString(run.resolve("status"), "init=" + living.pid() + " " + start + "\n");
        return run;
    }

    private void ended(String name) throws IOException {
        runs(name, List.of());
        Files.writeString(
                folder.resolve("engine/ended").resolve(name), "code=0\nsignal=\nmemory=no\nended=1\ndetail=\n");
    }
}
