package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the tasks of a job find, on the whole gateway with real tasks and devices that do not exist. */
class DistributedJobTest {
    @RegisterExtension
    private static final GangDesk DESK = new GangDesk("8xAscend910B,4xH100");

    private static String job(String name, String extras, String... roles) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: base, type: dockerimage, uri: none}]
                taskRoles:
                %s
                extras: %s
                """.formatted(name, String.join("\n", roles), extras);
    }

    /** The end of one role is not the job's, as it is usually. */
    private static String role(String name, int tasks, int devices, String command) {
        return """
                %s:
                  instances: %d
                  dockerImage: base
                  completion: {minFailedInstances: 1, minSucceededInstances: -1}
                  resourcePerInstance: {cpu: 0, memoryMB: 20, gpu: %d}
                  commands: [%s]
                """.formatted(name, tasks, devices, Json.encode(command))
                .indent(2)
                .stripTrailing();
    }

    private static Map<String, String> printed(String name, String role, int index) {
        return Arrays.stream(DESK.log(name, role, index).split("\0"))
                .map(line -> line.split("=", 2))
                .filter(parts -> parts.length == 2)
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (one, other) -> one));
    }

    @Test
    void a_task_finds_who_it_is_and_a_shell_without_its_environment_reads_the_same_from_a_file() {
        String odd = "it's $(touch /userhome/RAN) `touch /userhome/RAN`\n\"two\" = lines";
        DESK.submit(job(
                "found",
                "{sluice: {devices: {type: Ascend910B}, environment: {ODD: " + Json.encode(odd)
                        + ", NODE_RANK: mine}}}",
                role("worker", 2, 2, "env -0; cat $SLUICE_HOSTFILE >&2; ls /userhome >&2"),
                role("reader", 1, 0, "exec env -i PATH=$PATH bash -c '. /pod.env; exec env -0'")));
        DESK.ends("found", "SUCCEEDED", "worker");
        var first = printed("found", "worker", 0);
        var second = printed("found", "worker", 1);
        assertThat(first)
                .containsEntry("RANK", "0")
                .containsEntry("WORLD_SIZE", "2")
                .containsEntry("RANK_SIZE", "4")
                .containsEntry("NODE_RANK", "mine")
                .containsEntry("ODD", odd);
        assertThat(second)
                .containsEntry("RANK", "1")
                .containsEntry("RANK_ID", "2")
                .containsEntry("MASTER_ADDR", first.get("PAI_HOST_IP_worker_0"))
                .containsEntry("MASTER_PORT", first.get("PAI_CURRENT_CONTAINER_PORT"));
        assertThat(second.get("ASCEND_RT_VISIBLE_DEVICES"))
                .isEqualTo(second.get("VISIBLE_IDS"))
                .isNotEqualTo(first.get("VISIBLE_IDS"));
        assertThat(DESK.log("found", "worker", 0))
                .contains("worker-0 slots=2\nworker-1 slots=2\n")
                .doesNotContain("RAN\n");
        var read = printed("found", "reader", 0);
        assertThat(read)
                .containsEntry("ODD", odd)
                .containsEntry("MASTER_ADDR", first.get("MASTER_ADDR"))
                .containsEntry("PAI_CURRENT_TASK_ROLE_NAME", "reader")
                .doesNotContainKeys("HOME", "RANK");
    }

    @Test
    void the_page_lists_what_a_task_finds_and_what_it_is_for() {
        DESK.submit(
                job("told", "{sluice: {environment: {MASTER_PORT: secret-of-mine}}}", role("worker", 2, 1, "true")));
        DESK.ends("told", "SUCCEEDED", "worker");
        assertThat(DESK.get("/jobs/boss~told").bodyAsString()).contains("/jobs/boss~told/panels/gang?attempt=0");
        String page = DESK.get("/jobs/boss~told/panels/gang?attempt=0&role=worker&index=1&try=0")
                .bodyAsString();
        assertThat(page)
                .contains("<turbo-frame id=\"panel-gang\"")
                .contains("<code>RANK_SIZE</code>")
                .contains("How many devices the job has.")
                .contains("set by the job itself")
                .doesNotContain("secret-of-mine");
        assertThat(DESK.get("/jobs/boss~told/panels/gang?role=nobody").statusCode())
                .isEqualTo(404);
    }

    @Test
    void a_job_with_npus_finds_its_rank_table_and_so_does_whoever_looks_at_it() {
        DESK.submit(job(
                "ranked",
                "{sluice: {devices: {type: Ascend910B}, distributed: {rankTable: pods}}}",
                role("worker", 1, 2, "cat $RANK_TABLE_FILE")));
        DESK.ends("ranked", "SUCCEEDED", "worker");
        var table = new JsonObject(DESK.log("ranked", "worker", 0));
        assertThat(table.getString("status")).isEqualTo("completed");
        assertThat(DESK.get("/api/v2/jobs/boss~ranked/rank-table").bodyAsJsonObject())
                .isEqualTo(table);
        assertThat(DESK.get("/api/v2/jobs/boss~ranked/rank-table?form=servers")
                        .bodyAsJsonObject()
                        .getString("version"))
                .isEqualTo("1.0");
        assertThat(DESK.get("/api/v2/jobs/boss~ranked/rank-table?form=round").statusCode())
                .isEqualTo(400);
        assertThat(DESK.get("/jobs/boss~ranked/panels/gang").bodyAsString())
                .contains("/api/v2/jobs/boss~ranked/rank-table?attempt=0&form=servers");
    }

    @Test
    void the_ranks_stand_beside_one_another_and_the_first_that_failed_is_marked() {
        String command = "echo begun; [ $RANK != 1 ] || exit 3; sleep 60";
        DESK.submit(job("uneven", "{}", role("worker", 3, 0, command)));
        DESK.ends("uneven", "FAILED", "worker");
        assertThat(DESK.get("/jobs/boss~uneven").bodyAsString()).contains("/jobs/boss~uneven/panels/ranks?attempt=0");
        String mark = "<span class=\"state failed\">failed first</span>";
        String page = DESK.get("/jobs/boss~uneven/panels/ranks?attempt=0").bodyAsString();
        assertThat(page)
                .contains("<turbo-frame id=\"panel-ranks\"")
                .contains("/jobs/boss~uneven?attempt=0&amp;role=worker&amp;index=2")
                .containsOnlyOnce(mark);
        assertThat(page.indexOf(mark)).isBetween(page.indexOf(">worker 1<"), page.indexOf(">worker 2<"));
        assertThat(DESK.get("/jobs/boss~uneven/panels/ranks?attempt=x").statusCode())
                .isEqualTo(400);
    }
}
