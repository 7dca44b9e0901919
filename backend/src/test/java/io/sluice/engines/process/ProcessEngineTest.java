package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.engines.Engine;
import io.sluice.engines.EngineContract;
import io.sluice.engines.EngineTasks;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessEngineTest extends EngineContract {

    @TempDir
    private static Path folder;

    private static TestEngine tasks;

    @BeforeAll
    static void open() throws IOException {
        assumeThat(Files.exists(Path.of("/proc/self/stat"))).as("Linux").isTrue();
        tasks = new TestEngine(folder);
    }

    @Override
    protected EngineTasks contract() {
        return tasks;
    }

    @AfterAll
    static void close() {
        if (tasks != null) {
            tasks.close();
        }
    }

    @Test
    void the_same_name_again_is_the_same_run() {
        var task = tasks.task("once", "echo ran >> /userhome/once; sleep 60");
        tasks.start(task);
        var again = (Started.Running) tasks.engine.start(task).await();
        assertThat(again.again()).isTrue();

        tasks.engine.stop("once", Duration.ZERO).await();
        tasks.over("once");
        var after = (Started.Running) tasks.engine.start(task).await();
        assertThat(after.run().state()).isEqualTo(State.ENDED);
    }

    @Test
    void saves_no_image_and_says_what_to_do_instead() {
        assertThat(tasks.engine.keeps()).isFalse();
        assertThatThrownBy(() -> tasks.engine.keep("once", "env:1", "").await())
                .isInstanceOf(Engine.NotKept.class)
                .hasMessageContaining("Keep what a task makes in /userhome or /output");
    }

    @Test
    void a_task_has_the_environment_it_was_given_and_no_other() {
        var given = Map.of(
                "PLAIN",
                "a b",
                "QUOTED",
                "it's \"$HOME\"\n`x` \\",
                "PAI_PORT_LIST_my-role_0_http",
                "1,2",
                "LC_ALL",
                "C",
                "EMPTY",
                "");
        tasks.start(tasks.task("environment", "env -0 | sort -z | tr '\\n\\0' '~\\n'", given, Map.of(), 0));
        tasks.over("environment");

        assertThat(tasks.log("environment").lines().filter(line -> !line.matches("(SHLVL|PWD|_)=.*")))
                .containsExactlyInAnyOrder(
                        "PLAIN=a b",
                        "QUOTED=it's \"$HOME\"~`x` \\",
                        "PAI_PORT_LIST_my-role_0_http=1,2",
                        "LC_ALL=C",
                        "EMPTY=",
                        "HOME=" + (tasks.node.isolated() ? "/userhome" : tasks.home),
                        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                        "SHELL=/bin/bash",
                        "LANG=C.UTF-8",
                        "USER=" + System.getProperty("user.name"),
                        "LOGNAME=" + System.getProperty("user.name"),
                        "ASCEND_VISIBLE_DEVICES=",
                        "ASCEND_RT_VISIBLE_DEVICES=",
                        "CUDA_VISIBLE_DEVICES=",
                        "CUDA_DEVICE_ORDER=PCI_BUS_ID",
                        "NVIDIA_VISIBLE_DEVICES=none");
    }

    @Test
    void a_task_is_told_of_its_devices_whatever_it_says_itself() {
        var plain = tasks.task("devices", "echo $ASCEND_RT_VISIBLE_DEVICES,$CUDA_VISIBLE_DEVICES.");
        tasks.start(new Task(
                plain.name(),
                plain.labels(),
                plain.node(),
                plain.script(),
                Map.of("CUDA_VISIBLE_DEVICES", "0,1,2,3"),
                null,
                1,
                0,
                64,
                List.of("ascend-6", "ascend-1"),
                Map.of(),
                plain.mounts(),
                plain.output()));
        tasks.over("devices");
        assertThat(tasks.log("devices")).isEqualTo("1,6,.\n");
    }

    @Test
    void a_port_that_is_in_use_or_another_tasks_is_refused() throws IOException {
        try (var own = new ServerSocket(0)) {
            var task = tasks.task("ports", "sleep 60", Map.of(), Map.of("http", List.of(own.getLocalPort())), 0);
            assertThat(refusal(task)).isEqualTo(Started.Reason.PORT_OWN);
        }
        try (var stranger = new Stranger()) {
            var task = tasks.task("ports", "sleep 60", Map.of(), Map.of("http", List.of(stranger.port())), 0);
            assertThat(refusal(task)).isEqualTo(Started.Reason.PORT_TAKEN);
            assertThat(tasks.engine.list().await()).noneMatch(run -> run.name().equals("ports"));
        }
        int free = tasks.node.ports().last();
        tasks.start(tasks.task("ports", "sleep 60", Map.of(), Map.of("http", List.of(free)), 0));
        var second = tasks.task("ports2", "exit 0", Map.of(), Map.of("ssh", List.of(free)), 0);
        assertThat(refusal(second)).isEqualTo(Started.Reason.PORT_TAKEN);

        tasks.engine.stop("ports", Duration.ZERO).await();
        tasks.over("ports");
        tasks.start(second);
        tasks.over("ports2");
    }

    @Test
    void what_does_not_exist_is_refused() {
        var task = tasks.task("missing", "exit 0");
        assertThat(refusal(with(task, "elsewhere", List.of(), task.output()))).isEqualTo(Started.Reason.MISSING);
        assertThat(refusal(with(task, task.node(), List.of("nvidia-77"), task.output())))
                .isEqualTo(Started.Reason.MISSING);
        assertThat(refusal(with(task, task.node(), List.of(), tasks.folder.resolve("none/log"))))
                .isEqualTo(Started.Reason.MISSING);
    }

    @Test
    void what_is_forgotten_leaves_no_folder() {
        tasks.run("brief", "exit 0");
        tasks.engine.remove("brief").await();
        assertThat(tasks.folder.resolve("engine/runs/brief")).doesNotExist();
    }

    private static Started.Reason refusal(Task task) {
        return ((Started.Refused) tasks.engine.start(task).await()).reason();
    }

    private static Task with(Task task, String node, List<String> devices, Path output) {
        return new Task(
                task.name(),
                task.labels(),
                node,
                task.script(),
                Map.of(),
                null,
                0,
                0,
                0,
                devices,
                Map.of(),
                List.of(),
                output);
    }
}
