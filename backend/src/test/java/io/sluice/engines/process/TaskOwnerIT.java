package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.sluice.engines.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the gateway is root, a task is whoever owns its home, and has none of root's rights. */
class TaskOwnerIT {
    private static final String WAY = "sluice.engine.starter";
    private static final int CAROL = 123_456;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"warm", "shell"})
    void a_task_runs_as_the_owner_of_its_home_whom_this_machine_does_not_know(String way) throws IOException {
        assumeThat(System.getProperty("user.name"))
                .as("only root becomes somebody else")
                .isEqualTo("root");
        System.setProperty(WAY, way);
        try (var tasks = new TestEngine(folder)) {
            assumeThat(tasks.node.isolated()).as(tasks.node.isolationNote()).isTrue();
            runs(tasks);
        } finally {
            System.clearProperty(WAY);
        }
    }

    private void runs(TestEngine tasks) throws IOException {
        var carol = Files.createDirectories(folder.resolve("homes/carol"));
        Files.setAttribute(carol, "unix:uid", CAROL);
        Files.setAttribute(carol, "unix:gid", CAROL);
        var secret = Files.writeString(carol.resolve("root's"), "secret");
        Files.setAttribute(secret, "unix:mode", 0600);
        var asked = tasks.task("carols", """
                id -u; id -un; id -gn; id -G; echo $HOME $USER ~carol; pwd
                grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status | tr -d '\\t'
                cat "root's" 2>&- || echo closed
                touch mine /tmp/x /dev/shm/x && echo wrote
                touch /gdata/x 2>&- || echo read-only
                echo lost 2>&- > /dev/stdout || echo kept
                trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done
                """);
        tasks.start(new Task(
                asked.name(),
                asked.labels(),
                asked.node(),
                asked.script(),
                Map.of("odd-key", "1"),
                null,
                1,
                64,
                0,
                List.of(),
                Map.of(),
                List.of(new Task.Mount(carol, "/userhome", false), new Task.Mount(tasks.shared, "/gdata", true)),
                asked.output()));
        tasks.untilLogged("carols", "up\n");
        var inside = tasks.engine
                .exec("carols", Command.script("id -un; grep CapBnd /proc/self/status; kill -0 1 || echo no", Map.of()))
                .compose(exec -> Exec.whole(exec, 1_000))
                .await();
        tasks.engine.stop("carols", Duration.ofSeconds(20)).await();
        assertThat(tasks.over("carols").exitCode()).isEqualTo(5);
        assertThat(tasks.log("carols").replace("Terminated\n", "")).isEqualTo("""
                123456
                carol
                carol
                123456
                /userhome carol /userhome
                /userhome
                CapEff:0000000000000000
                CapBnd:0000000000000000
                NoNewPrivs:1
                closed
                wrote
                read-only
                kept
                up
                bye
                """);
        assertThat(inside.output())
                .contains("carol\n")
                .contains("0000000000000000")
                .contains("no\n");
        assertThat(Files.getAttribute(carol.resolve("mine"), "unix:uid")).isEqualTo(CAROL);
    }
}
