package io.sluice.engines;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How tasks end, and that the truth is told about it: the same tests for each engine. */
public abstract class TaskEnds {

    protected abstract EngineTasks contract();

    /** Those that are tried: an engine that is slow to begin needs not show all of them. */
    protected IntStream codes() {
        return IntStream.range(0, 256);
    }

    /** How many are begun at once, each of them three times. */
    protected int many() {
        return 200;
    }

    /** How long after their beginning tasks are stopped, in milliseconds. */
    protected IntStream moments() {
        return IntStream.range(0, 40);
    }

    private List<Run> named(String prefix) {
        return contract().engine().list().await().stream()
                .filter(run -> run.name().startsWith(prefix))
                .toList();
    }

    private void over(String prefix, int count) {
        EngineTasks.until("all " + prefix + " to be over", () -> {
            var runs = named(prefix);
            return runs.size() == count && runs.stream().allMatch(Run::isOver);
        });
    }

    @Test
    public void every_exit_code_is_told_as_it_was() {
        var tasks = contract();
        var starts = codes().mapToObj(code -> tasks.engine().start(tasks.task("code-" + code, "exit " + code)))
                .toList();
        Future.all(starts).await();
        over("code-", starts.size());

        for (var run : named("code-")) {
            assertThat("code-" + run.exitCode()).isEqualTo(run.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "there-is-no-such-command, 127",
        "/etc/passwd, 126",
        "'', 0",
        "true, 0",
        "if, 2",
        "bash -c 'kill -KILL $$', 137"
    })
    public void what_bash_says_is_told(String script, int code) {
        var run = contract().run("said-" + Math.floorMod(script.hashCode(), 1000), script);
        assertThat(run.exitCode()).isEqualTo(code);
        assertThat(run.signal()).isNull();
    }

    @Test
    public void the_last_byte_is_there_when_the_end_is_told() {
        var tasks = contract();
        for (int i = 0; i < Math.min(20, many()); i++) {
            var name = "last-" + i;
            tasks.run(name, "head -c 100000 /dev/zero; printf end");
            assertThat(tasks.log(name)).hasSize(100_003).endsWith("end");
        }
    }

    @Test
    public void many_at_once_start_once_each() throws IOException {
        var tasks = contract();
        int many = many();
        var starts = IntStream.range(0, 3 * many)
                .mapToObj(i -> tasks.engine().start(tasks.task("many-" + i % many, "echo " + i % many + " >> ~/marks")))
                .toList();
        Future.all(starts).await();
        assertThat(starts.stream()
                        .map(start -> (Started.Running) start.result())
                        .filter(started -> !started.again()))
                .hasSize(many);
        over("many-", many);

        assertThat(named("many-")).allMatch(run -> Integer.valueOf(0).equals(run.exitCode()));
        assertThat(Files.readAllLines(tasks.home.resolve("marks")))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, many).mapToObj(Integer::toString).toList());
    }

    @Test
    public void a_task_that_is_stopped_at_any_moment_ends() {
        var tasks = contract();
        moments().forEach(moment -> {
            var name = "moment-" + moment;
            tasks.start(tasks.task(name, "sleep 60"));
            LockSupport.parkNanos(moment * 1_000_000L);
            tasks.engine().stop(name, Duration.ZERO).await();
            assertThat(tasks.over(name).exitCode()).isIn(137, 143);
        });
    }
}
