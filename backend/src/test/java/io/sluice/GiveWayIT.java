package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that give way to others, and jobs that start in part, as real processes on two devices that do not exist. */
class GiveWayIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Household house;

    @BeforeAll
    static void start() throws IOException {
        house = new Household(folder);
        house.start("", Map.of("SLUICE_SIMULATE_DEVICES", "2xH100"));
    }

    @AfterAll
    static void stop() throws IOException {
        house.close();
    }

    private static void submit(String name, int tasks, int devices, String extras, String command) throws IOException {
        var answer = house.submitText("""
                protocolVersion: 2
                name: %s
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  main:
                    instances: %d
                    dockerImage: image
                    resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: %d}
                    commands:
                      - |-
                        %s
                extras: {%s}
                """.formatted(name, tasks, devices, command, extras), "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static JsonNode status(String name) throws IOException {
        return house.get("/api/v2/jobs/admin~" + name).path("jobStatus");
    }

    private static String mark(String name) {
        return "echo $FC_FRAMEWORK_ATTEMPT_ID $PAI_TASK_INDEX >> ~/" + name + "; until [ -e ~/enough-" + name
                + " ]; do sleep 0.1; done";
    }

    private static List<String> marks(String name) throws IOException {
        Path file = house.home().resolve(name);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private static void enough(String name) throws IOException {
        Files.createFile(house.home().resolve("enough-" + name));
    }

    @Test
    void a_preemptible_job_gives_way_is_queued_again_and_runs_again() throws Exception {
        submit("cheap", 1, 2, "sluice: {preemptible: true}, hivedScheduler: {jobPriorityClass: oppo}", mark("cheap"));
        Household.eventually(() -> marks("cheap").size() == 1);
        submit("urgent", 1, 2, "hivedScheduler: {jobPriorityClass: prod}", mark("urgent"));
        Household.eventually(() -> marks("urgent").size() == 1);
        Household.eventually(() -> house.state("cheap").equals("WAITING"));
        Household.eventually(
                () -> status("cheap").path("waiting").path("why").asText().equals("MACHINES"));
        assertThat(status("cheap").path("waiting").toString()).contains("\"holders\":[{\"user\":\"admin\"");
        enough("urgent");
        house.ends(LIMIT, "urgent");
        assertThat(house.state("urgent")).isEqualTo("SUCCEEDED");
        Household.eventually(() -> marks("cheap").size() == 2);
        enough("cheap");
        house.ends(LIMIT, "cheap");
        assertThat(house.state("cheap")).isEqualTo("SUCCEEDED");
        assertThat(marks("cheap")).containsExactly("0 0", "1 0");
        assertThat(status("cheap").path("retries").asInt()).isEqualTo(1);
        assertThat(status("cheap").path("retryDetails").path("user").asInt()).isZero();
        var first = house.get("/api/v2/jobs/admin~cheap/attempts/0").path("jobStatus");
        assertThat(first.path("appExitCode").asInt()).isEqualTo(-1003);
        assertThat(first.path("appExitDiagnostics").asText()).contains("gave way to a job of higher priority");
    }

    @Test
    void one_that_is_not_preemptible_is_waited_for() throws Exception {
        submit("owner", 1, 2, "sluice: {preemptible: false}, hivedScheduler: {jobPriorityClass: oppo}", mark("owner"));
        Household.eventually(() -> marks("owner").size() == 1);
        submit("patient", 1, 1, "hivedScheduler: {jobPriorityClass: prod}", "true");
        Household.eventually(
                () -> status("patient").path("waiting").path("why").asText().equals("MACHINES"));
        enough("owner");
        house.ends(LIMIT, "patient");
        assertThat(marks("owner")).hasSize(1);
        assertThat(house.state("patient")).isEqualTo("SUCCEEDED");
    }

    @Test
    void a_job_that_is_no_gang_starts_in_part_says_what_the_rest_waits_for_and_ends_whole() throws Exception {
        submit(
                "loose",
                3,
                1,
                "gangAllocation: false",
                mark("loose") + "; [ $PAI_TASK_INDEX -gt 1 ] || sleep 0.$PAI_TASK_INDEX");
        Household.eventually(() -> marks("loose").size() == 2);
        Household.eventually(() -> house.state("loose").equals("RUNNING"));
        Household.eventually(
                () -> status("loose").path("waiting").path("why").asText().equals("MACHINES"));
        var tasks = house.get("/api/v2/jobs/admin~loose").at("/taskRoles/main/taskStatuses");
        assertThat(tasks.findValuesAsText("taskState")).containsExactly("RUNNING", "RUNNING", "WAITING");
        enough("loose");
        house.ends(LIMIT, "loose");
        assertThat(house.state("loose")).isEqualTo("SUCCEEDED");
        assertThat(marks("loose")).containsExactlyInAnyOrder("0 0", "0 1", "0 2");
        assertThat(status("loose").has("waiting")).isFalse();
    }

    @Test
    void a_role_without_instances_is_a_fault_with_what_is_allowed() throws IOException {
        for (String text : List.of(
                "{\"jobName\": \"none\", \"image\": \"i\", \"taskRoles\": [{\"name\": \"m\", \"taskNumber\": 0, \"command\": \"true\"}]}",
                "protocolVersion: 2\nname: none\ntype: job\nprerequisites: [{name: i, type: dockerimage, uri: none}]\n"
                        + "taskRoles: {m: {instances: 0, dockerImage: i, resourcePerInstance: {cpu: 1, memoryMB: 9, gpu: 0},"
                        + " commands: ['true']}}\n")) {
            var answer = house.submitText(text, "");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("0 is outside of what is possible", "1 to");
        }
    }
}
