package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.sluice.jobs.drafts.Examples;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of jobs whose tasks or processes work together, run as they stand, on devices that do not exist. */
class DistributedExamplesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static TestServer server;

    @SuppressWarnings("NullAway.Init")
    private static Crowd crowd;

    @SuppressWarnings("NullAway.Init")
    private static Browser boss;

    @BeforeAll
    static void start() {
        server = new TestServer(folder, "--simulate-devices", "8xAscend910B");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        boss = crowd.browser();
        boss.headers.set("Authorization", "Bearer " + crowd.bearer(crowd.person("boss", true)));
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    /** Runs it to success; what a task of it printed comes back. */
    private static String printed(String name, String task) {
        var answer = boss.send(
                        HttpMethod.POST,
                        "/api/v2/jobs",
                        "application/yaml",
                        Buffer.buffer(Examples.named(name).orElseThrow().config()))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(202);
        for (var end = Instant.now().plus(PATIENCE); status(name).getValue("completedTime") == null; ) {
            assertThat(Instant.now()).as(() -> status(name).encode()).isBefore(end);
            LockSupport.parkNanos(50_000_000);
        }
        assertThat(status(name).getString("state"))
                .as(() -> status(name) + log(name, task))
                .isEqualTo("SUCCEEDED");
        return log(name, task);
    }

    private static JsonObject status(String name) {
        return boss.get("/api/v2/jobs/boss~" + name).bodyAsJsonObject().getJsonObject("jobStatus");
    }

    private static String log(String name, String task) {
        return boss.get("/api/v2/jobs/boss~" + name + "/attempts/0/taskRoles/" + task + "/attempts/0/log")
                .bodyAsString();
    }

    @Test
    void two_tasks_with_two_processes_each_meet_and_agree_on_a_sum() {
        assertThat(printed("ranks", "worker/taskIndex/0"))
                .contains("rank 0 of 4 ")
                .contains("the sum is 30\n");
        assertThat(log("ranks", "worker/taskIndex/1")).contains("rank 2 of 4 ").contains("the sum is 30\n");
    }

    @Test
    void a_script_of_mindspore_finds_its_rank_in_the_table() throws Exception {
        assertThat(printed("mindspore-ranks", "train/taskIndex/0"))
                .contains("rank 0 of 2: device ")
                .contains("at 198.18.");
        try (var logs = Files.find(
                folder, 12, (path, type) -> path.getFileName().toString().equals("proc-rank-1-device-1.txt"))) {
            assertThat(logs.toList())
                    .singleElement()
                    .satisfies(log -> assertThat(log).content().contains("rank 1 of 2: device "));
        }
    }

    @Test
    void a_job_of_apulis_with_two_npus_starts_its_processes_from_the_file_that_it_sources() {
        assertThat(printed("apulis-2-npu", "master/taskIndex/0"))
                .contains("of boss, master 0, 2 cards of Ascend910B, table /pod/hccl.json\n")
                .contains("card 0 is rank 0 of 2\ncard 1 is rank 1 of 2\n");
    }

    @Test
    void mpirun_starts_so_many_processes_as_the_job_says() {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mpirun")), "Open MPI is not installed");
        String said = printed("mpi-hello", "main/taskIndex/0");
        assertThat(said).contains(" slots=4\n");
        for (int rank = 0; rank < 4; rank++) {
            assertThat(said).contains("hello from rank " + rank + " of 4\n");
        }
    }
}
