package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Task;
import io.sluice.jobs.life.Exit;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What befalls jobs whose tasks need one another, on machines of eight NPUs each. */
class GangFaultsTest {
    private final ScriptedEngine engine = new ScriptedEngine(3, 8, 8, true);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private static String job(String name, int devices, String more) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                %s
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  worker:
                    instances: 2
                    taskRetryCount: 3
                    completion: {minFailedInstances: 1, minSucceededInstances: 2}
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: %d}
                    commands: ["true"]
                extras: {sluice: {devices: {type: Ascend910B}, distributed: {rankTable: servers}}}
                """.formatted(name, more, devices);
    }

    private Exit firstEnd(String name) {
        var attempts = desk.jobs().attempts(desk.job("ada", name)).await();
        return Objects.requireNonNull(attempts.getFirst().exit());
    }

    private static Path pod(Task task) {
        return task.mounts().stream()
                .filter(mount -> mount.target().equals("/pod"))
                .findFirst()
                .orElseThrow()
                .source();
    }

    private static JsonArray servers(Task task) throws IOException {
        JsonObject table = new JsonObject(Files.readString(pod(task).resolve("hccl.json")));
        assertThat(table.getString("status")).isEqualTo("completed");
        return table.getJsonArray("server_list");
    }

    @Test
    void a_machine_that_vanishes_while_the_tasks_wait_ends_the_attempt_and_all_begin_anew_elsewhere() throws Exception {
        engine.broken = task -> task.name().endsWith("-worker-1-0.0");
        desk.submit("ada", job("vanished", 8, ""));
        Task first = engine.task(desk.running(1).getFirst());
        desk.leave();
        engine.vanish(first.node());
        desk.open(desk.data());
        List<String> runs = desk.running(2);
        assertThat(firstEnd("vanished").code()).isEqualTo(Exit.NODE_LOST);
        assertThat(runs).allSatisfy(run -> {
            assertThat(run).endsWith("-1.0");
            assertThat(engine.task(run).node()).isNotEqualTo(first.node());
            assertThat(servers(engine.task(run)).encode()).doesNotContain(first.node());
        });
        desk.eventually(() -> Files.exists(pod(engine.task(runs.getFirst())).resolve("released")));
        runs.forEach(run -> engine.end(run, 0));
        assertThat(desk.finished("ada", "vanished").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    @Test
    void no_task_of_them_is_tried_again_alone_and_what_was_half_written_is_written_anew() throws Exception {
        desk.submit("ada", job("again", 8, "jobRetryCount: 1"));
        List<String> first = desk.running(2);
        Path before = pod(engine.task(first.getFirst()));
        // as a gateway leaves it that is killed while it writes
        Path next = Files.createDirectory(before.resolveSibling("1"));
        Files.writeString(next.resolve("hccl.json"), "{\"status\":\"comp");
        Files.writeString(next.resolve(".new-1"), "{");
        Files.writeString(next.resolve("hostfile"), "");
        engine.end(first.getFirst(), 5);
        desk.eventually(() -> desk.job("ada", "again").attempt() == 1);
        List<String> second = desk.running(2);
        assertThat(second).allSatisfy(run -> {
            assertThat(run).endsWith("-1.0");
            assertThat(pod(engine.task(run))).isEqualTo(next);
            assertThat(servers(engine.task(run))).hasSize(2);
        });
        assertThat(next.resolve("hostfile")).hasContent("worker-0 slots=8\nworker-1 slots=8");
        assertThat(engine.starts).noneMatch(run -> run.endsWith("-0.1"));
        second.forEach(run -> engine.end(run, 0));
        assertThat(desk.finished("ada", "again").state()).isEqualTo(Job.State.SUCCEEDED);
    }

    @Test
    void two_jobs_of_one_user_share_no_port_table_key_or_folder() throws Exception {
        desk.submit("ada", job("one", 2, ""));
        desk.submit("ada", job("other", 2, ""));
        List<Task> tasks = desk.running(4).stream().map(engine::task).toList();
        assertThat(tasks.stream()
                        .collect(Collectors.groupingBy(
                                Task::node, Collectors.mapping(GangFaultsTest::pod, Collectors.toSet())))
                        .values())
                .as("both on one machine")
                .anySatisfy(pods -> assertThat(pods).hasSize(2));
        assertThat(tasks.stream().map(GangFaultsTest::pod).distinct()).hasSize(2);
        for (String variable : List.of("MASTER_PORT", "JOB_ID", "TF_CONFIG", "DLWS_JOB_ID")) {
            assertThat(tasks.stream()
                            .map(task -> value(task, variable).replaceAll(",\"task\".*", ""))
                            .distinct())
                    .as(variable)
                    .hasSize(2);
        }
        assertThat(tasks.stream().flatMap(task -> task.ports().values().stream().flatMap(List::stream)))
                .doesNotHaveDuplicates();
        assertThat(tasks.stream().flatMap(task -> task.devices().stream().map(one -> task.node() + one)))
                .hasSize(8)
                .doesNotHaveDuplicates();
        for (String file : List.of("hccl.json", "ssh/key", "ssh/tasks.json")) {
            assertThat(tasks.stream().map(task -> text(pod(task).resolve(file))).distinct())
                    .as(file)
                    .hasSize(2);
        }
    }

    private static String value(Task task, String variable) {
        return Objects.requireNonNull(task.environment().get(variable));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void a_job_whose_card_was_lost_is_tried_again_on_others_and_its_own_retries_are_not_used_up() {
        desk.submit("ada", job("trains", 2, "").replace("rankTable: servers", "rankTable: none"));
        List<String> first = desk.running(2);
        engine.tell(0, "Lost since noon");
        engine.end(first.getLast(), 1, "HCCL: a rank does not answer\n");
        desk.eventually(() -> desk.job("ada", "trains").attempt() == 1);
        assertThat(firstEnd("trains")).satisfies(exit -> {
            assertThat(exit.code()).isEqualTo(Exit.DEVICE_FAULT);
            assertThat(exit.original()).isEqualTo(1);
            assertThat(exit.message()).isEqualTo("d0 of worker 0 on node0 is at fault: Lost since noon");
        });
        List<String> second = desk.running(2);
        assertThat(second)
                .allSatisfy(run -> assertThat(engine.task(run).devices()).doesNotContain("d0"));
        int held = Integer.parseInt(
                engine.task(second.getFirst()).devices().getFirst().substring(1));
        engine.tell(held, "Lost, too");
        engine.end(second.getFirst(), 1, "ModuleNotFoundError: No module named 'torch'\n");
        assertThat(desk.finished("ada", "trains").exitCode())
                .as("what has a cause of its own is not the device's fault")
                .isEqualTo(232);
    }

    private static final String TWO_ALONE = """
            protocolVersion: 2
            name: %s
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: lab/image}]
            taskRoles:
              worker:
                instances: 2
                %s
                dockerImage: image
                resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: 1}
                commands: ["true"]
            extras: {gangAllocation: false}
            """;

    @Test
    void a_card_that_was_given_back_excuses_nobody_s_failure() {
        desk.submit("ada", TWO_ALONE.formatted("alone", "completion: {minFailedInstances: 1}"));
        List<String> runs = desk.running(2);
        Task first = engine.task(runs.getFirst());
        engine.end(runs.getFirst(), 0);
        desk.eventually(() -> desk.jobs().detail(desk.job("ada", "alone"), null).await().tasks().stream()
                .anyMatch(task -> task.exit() != null));
        engine.tell(Integer.parseInt(first.devices().getFirst().substring(1)), "Used by a process of another");
        engine.end(runs.getLast(), 1);
        assertThat(desk.finished("ada", "alone").exitCode()).isEqualTo(255);
    }

    @Test
    void where_a_failure_ends_nothing_a_task_whose_card_was_lost_has_its_tries() {
        desk.submit("ada", TWO_ALONE.formatted("sweep", "completion: {minFailedInstances: -1}\n    taskRetryCount: 1"));
        List<String> runs = desk.running(2);
        engine.tell(
                Integer.parseInt(
                        engine.task(runs.getFirst()).devices().getFirst().substring(1)),
                "Lost");
        engine.end(runs.getFirst(), 1);
        desk.eventually(() -> engine.starts.stream().anyMatch(run -> run.endsWith("-0.1")));
    }
}
