package io.sluice.engines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Run.State;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every engine promises: the same tests for each of them. */
public abstract class EngineContract {

    protected abstract EngineTasks contract();

    @Test
    public void a_task_runs_to_its_end_with_its_output_in_its_file() {
        var tasks = contract();
        var before = Instant.now().minusMillis(1);
        var run = tasks.run("hello", "echo out; echo err >&2; printf '\\xff\\0end'; exit 3");

        assertThat(run.state()).isEqualTo(State.ENDED);
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.signal()).isNull();
        assertThat(run.labels()).containsEntry("job", "j1").containsEntry("role", "wörker");
        assertThat(run.started()).isBetween(before, Instant.now());
        assertThat(run.ended()).isAfterOrEqualTo(run.started());
        assertThat(tasks.logs.resolve("hello"))
                .hasBinaryContent("out\nerr\n\u00ff\0end".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(tasks.seen("hello")).isEqualTo(run);
    }

    @Test
    public void lines_of_any_length_arrive_whole_and_to_the_last_byte() {
        var tasks = contract();
        tasks.run("long", "head -c 70000 /dev/zero | tr '\\0' x; echo; printf end");
        assertThat(tasks.log("long")).isEqualTo("x".repeat(70_000) + "\nend");
    }

    @Test
    public void a_task_that_is_asked_to_stop_may_clean_up() {
        var tasks = contract();
        tasks.start(tasks.task("polite", "trap 'echo bye; exit 7' TERM; echo here; while :; do sleep 0.05; done"));
        tasks.untilLogged("polite", "here");
        tasks.engine().stop("polite", Duration.ofSeconds(20)).await();

        assertThat(tasks.over("polite").exitCode()).isEqualTo(7);
        assertThat(tasks.log("polite")).contains("bye");
    }

    @Test
    public void a_task_that_ignores_it_is_ended_by_force() {
        var tasks = contract();
        tasks.start(tasks.task("deaf", "trap '' TERM; echo here; while :; do sleep 0.05; done"));
        tasks.untilLogged("deaf", "here");
        tasks.engine().stop("deaf", Duration.ofMillis(100)).await();

        var run = tasks.over("deaf");
        assertThat(run.exitCode()).isEqualTo(137);
        assertThat(run.signal()).isEqualTo(9);
    }

    @Test
    public void nothing_that_a_task_started_is_left_when_it_is_over() {
        var tasks = contract();
        var leaver =
                "(trap '' TERM HUP; (nohup sleep 86471 > /dev/null 2>&1 &) & exec env -i sleep 86471) & echo left; exit 4";
        assertThat(tasks.run("leaves", leaver).exitCode()).isEqualTo(4);
        assertThat(tasks.log("leaves")).contains("left");
        assertThat(ProcessHandle.allProcesses().map(ProcessHandle::info))
                .noneMatch(process -> process.arguments()
                        .map(words -> List.of(words).contains("86471"))
                        .orElse(false));
    }

    @Test
    public void a_run_is_forgotten_only_when_it_is_over() {
        var tasks = contract();
        tasks.start(tasks.task("forgotten", "sleep 60"));
        assertThat(tasks.engine()
                        .remove("forgotten")
                        .map(removed -> "removed")
                        .otherwise("kept")
                        .await())
                .isEqualTo("kept");
        tasks.engine().stop("forgotten", Duration.ZERO).await();
        tasks.over("forgotten");
        tasks.engine().remove("forgotten").await();
        tasks.engine().remove("forgotten").await();

        assertThat(tasks.engine().list().await()).noneMatch(run -> run.name().equals("forgotten"));
        assertThat(tasks.logs.resolve("forgotten")).exists();
    }

    @Test
    public void what_a_shell_says_of_the_end_is_told() {
        var tasks = contract();
        assertThat(tasks.run("none", "there-is-no-such-command").exitCode()).isEqualTo(127);
        assertThat(tasks.run("empty", "").exitCode()).isZero();
        assertThat(tasks.run("high", "exit 255").exitCode()).isEqualTo(255);
    }

    @Test
    public void only_what_a_task_itself_listens_on_is_reached() throws Exception {
        var tasks = contract();
        var listens = """
                echo up; until [ -s "/userhome/where" ]; do sleep 0.02; done; echo begun
                exec perl -MIO::Socket::INET -e '
                  $s = IO::Socket::INET->new(Listen => 5, LocalAddr => $ARGV[0], LocalPort => $ARGV[1]) or die $!;
                  while ($c = $s->accept) { print $c "hello\\n"; close $c }' $(cat "/userhome/where")
                """;
        tasks.start(tasks.task("listens", listens));
        tasks.start(tasks.task("neighbour", "sleep 600"));
        tasks.untilLogged("listens", "up");
        var where = tasks.engine().port("listens").await();
        assertThat(tasks.engine().port("listens").await().port()).isNotEqualTo(where.port());
        assertThat(tasks.engine().reach("listens", where.port()).await()).isEmpty();
        Files.writeString(tasks.home.resolve("where.new"), where.host() + " " + where.port());
        Files.move(tasks.home.resolve("where.new"), tasks.home.resolve("where"));
        EngineTasks.until(
                "it listens",
                () -> tasks.engine().reach("listens", where.port()).await().isPresent());
        var address = tasks.engine().reach("listens", where.port()).await().orElseThrow();
        try (var socket = new Socket(address.host(), address.port())) {
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("hello\n");
        }
        assertThat(tasks.engine().reach("neighbour", where.port()).await()).isEmpty();
        try (var ours = new ServerSocket(0)) {
            assertThat(tasks.engine().reach("listens", ours.getLocalPort()).await())
                    .isEmpty();
        }
        tasks.engine().stop("listens", Duration.ZERO).await();
        tasks.over("listens");
        assertThatThrownBy(() -> tasks.engine().reach("listens", where.port()).await())
                .hasMessageContaining("does not run");
        assertThatThrownBy(() -> tasks.engine().port("never").await()).hasMessageContaining("does not run");
    }
}
