package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Run.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a task is to run may hold secrets, and lies on no disk. Alone: it changes how all engines of this JVM start tasks. */
@Isolated
class HandoverTest {
    private static final String STARTER = "sluice.engine.starter";
    private static final String IN_SCRIPT = "hunter2-in-the-script";
    private static final String IN_VARIABLE = "hunter2-in-a-variable";

    @TempDir
    private Path folder;

    @AfterEach
    void asUsual() {
        System.clearProperty(STARTER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"usual", "shell"})
    void while_a_task_runs_its_secrets_are_in_no_file_of_the_engine(String starter) throws IOException {
        System.setProperty(STARTER, starter);
        try (var tasks = new TestEngine(folder)) {
            String script = "echo " + IN_SCRIPT
                    + " | md5sum; echo $WORD | md5sum; echo up; while [ ! -e go ]; do sleep 0.02; done";
            tasks.start(tasks.task("task", script, Map.of("WORD", IN_VARIABLE), Map.of(), 0));
            tasks.untilLogged("task", "up");
            assertThat(tasks.seen("task").state()).isEqualTo(State.RUNNING);
            assertThat(withSecrets(folder)).isEmpty();
            Path memory = Path.of(Files.readString(folder.resolve("engine/memory")));
            assertThat(Files.getPosixFilePermissions(memory)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
            if (tasks.node.isolated()) {
                assertThat(memory.resolve("task")).as("gone once it is read").doesNotExist();
            }
            Files.createFile(tasks.home.resolve("go"));
            assertThat(tasks.over("task").exitCode()).isZero();
            tasks.engine.remove("task").await();
            assertThat(memory).isEmptyDirectory();
        }
    }

    @Test
    void it_is_made_anew_where_the_system_has_taken_it_away() throws IOException {
        try (var tasks = new TestEngine(folder)) {
            Files.delete(Path.of(Files.readString(folder.resolve("engine/memory"))));
            assertThat(tasks.run("task", "exit 3").exitCode()).isEqualTo(3);
        }
    }

    @Test
    void what_runs_that_are_gone_were_given_is_taken_away_by_the_next_gateway() throws IOException {
        Path memory;
        try (var tasks = new TestEngine(folder)) {
            memory = Path.of(Files.readString(folder.resolve("engine/memory")));
            TestEngine.until(
                    "it has looked for what is gone",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals("sluice-engine-adopts")));
            Files.writeString(Files.createDirectory(memory.resolve("gone")).resolve("words"), IN_SCRIPT);
            assertThat(tasks.node.unready()).isNull();
        }
        assertThat(memory.resolve("gone/words")).as("what is not read stays").exists();
        try (var tasks = new TestEngine(folder)) {
            assertThat(Path.of(Files.readString(folder.resolve("engine/memory"))))
                    .isEqualTo(memory);
            TestEngine.until("what is gone to be taken away", () -> !Files.exists(memory.resolve("gone")));
            assertThat(memory).isEmptyDirectory();
            assertThat(tasks.node.unready()).isNull();
        }
        assertThat(memory).doesNotExist();
    }

    private static List<Path> withSecrets(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .filter(HandoverTest::hasSecret)
                    .toList();
        }
    }

    private static boolean hasSecret(Path file) {
        try {
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            return text.contains(IN_SCRIPT) || text.contains(IN_VARIABLE);
        } catch (IOException gone) {
            return false;
        }
    }
}
