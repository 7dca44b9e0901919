package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields that OpenPAI's clients read, of jobs as they wait, run and have failed: all of theirs, and of ours only those named here. */
class JobFieldsTest {
    private static final Set<String> SUMMARY = words(
            "debugId name username state subState executionType tags retries retryDetails retryDelayTime submissionTime createdTime"
                    + " launchedTime completedTime appExitCode virtualCluster totalGpuNumber totalTaskNumber totalTaskRoleNumber"
                    + " jobPriority");
    private static final Set<String> OLD_SUMMARY =
            without(SUMMARY, "debugId tags retryDelayTime submissionTime launchedTime jobPriority");
    private static final Set<String> DETAIL = words("debugId name tags jobPriority jobStatus taskRoles");
    private static final Set<String> STATUS = words(
            "username state subState executionType retries retryDetails retryDelayTime submissionTime createdTime launchedTime"
                    + " completedTime attemptId attemptState appId appProgress appTrackingUrl appCreatedTime appLaunchedTime"
                    + " appCompletedTime appExitCode appExitSpec appExitDiagnostics appExitMessages appExitTriggerMessage"
                    + " appExitTriggerTaskRoleName appExitTriggerTaskIndex appExitType virtualCluster");
    private static final Set<String> TASK = words(
            "taskIndex taskUid taskState containerId containerIp containerNodeName containerPorts containerGpus containerLog"
                    + " containerExitCode containerExitSpec containerExitDiagnostics retries accountableRetries createdTime"
                    + " launchedTime completedTime attemptId attemptState currentAttemptCreatedTime currentAttemptLaunchedTime"
                    + " currentAttemptCompletedTime hived");
    private static final Set<String> EXIT_SPEC =
            words("code phrase issuer causer type stage behavior reaction reason repro solution");

    @RegisterExtension
    private static final Reception RECEPTION = new Reception();

    @BeforeAll
    static void submit() {
        submit("waiting", 1_000_000_000, "true");
        submit("running", 64, "sleep 600");
        submit("failed", 64, "exit 3");
        Reception.eventually(() -> state("running").equals("RUNNING"));
        Reception.eventually(() -> state("failed").equals("FAILED"));
    }

    private static void submit(String name, int memory, String command) {
        var job = """
                {"jobName": "%s", "image": "none", "taskRoles": [{"name": "main", "memoryMB": %d, "cpuNumber": 0, "command": "%s"}]}
                """.formatted(name, memory, command);
        var sent = boss().send(HttpMethod.POST, "/api/v2/jobs", "application/json", Buffer.buffer(job))
                .await();
        assertThat(sent.statusCode()).as(sent.bodyAsString()).isEqualTo(202);
    }

    private static Browser boss() {
        return RECEPTION.as(RECEPTION.boss());
    }

    private static JsonObject get(String path) {
        var answer = boss().get(path);
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        return answer.bodyAsJsonObject();
    }

    private static String state(String job) {
        return get("/api/v2/jobs/boss~" + job).getJsonObject("jobStatus").getString("state");
    }

    private static Set<String> words(String text) {
        return Set.copyOf(Arrays.asList(text.split(" ")));
    }

    private static Set<String> without(Set<String> all, String some) {
        var rest = new HashSet<>(all);
        rest.removeAll(words(some));
        return rest;
    }

    @Test
    void every_entry_of_a_list_has_the_fields_of_its_version_and_no_other() {
        for (var job : boss().get("/api/v2/jobs").bodyAsJsonArray()) {
            var entry = (JsonObject) job;
            assertThat(entry.fieldNames()).isEqualTo(SUMMARY);
            assertThat(entry.getJsonObject("retryDetails").fieldNames()).isEqualTo(words("user platform resource"));
        }
        for (var job : boss().get("/api/v1/jobs").bodyAsJsonArray()) {
            assertThat(((JsonObject) job).fieldNames()).isEqualTo(OLD_SUMMARY);
        }
    }

    @ParameterizedTest
    @CsvSource({"waiting, waiting", "running, ''", "failed, ''"})
    void a_job_and_each_of_its_attempts_has_their_fields(String job, String ours) {
        var status = new HashSet<>(STATUS);
        if (!ours.isEmpty()) {
            status.add(ours);
        }
        String path = "/api/v2/jobs/boss~" + job;
        var detail = get(path);
        assertThat(detail.fieldNames()).isEqualTo(DETAIL);
        assertThat(detail.getJsonObject("jobStatus").fieldNames()).isEqualTo(status);
        var attempt = get(path + "/attempts/0");
        var attemptFields = new HashSet<>(DETAIL);
        attemptFields.addAll(words("attemptIndex isLatest"));
        assertThat(attempt.fieldNames()).isEqualTo(attemptFields);
        assertThat(attempt.getJsonObject("jobStatus").fieldNames()).isEqualTo(status);
        var old = get("/api/v1/user/boss/jobs/" + job);
        assertThat(old.fieldNames()).isEqualTo(without(DETAIL, "debugId tags jobPriority"));
        assertThat(old.getJsonObject("jobStatus").fieldNames())
                .isEqualTo(without(status, "attemptId attemptState retryDelayTime submissionTime launchedTime"));
    }

    @ParameterizedTest
    @CsvSource({"waiting, 0", "running, 0", "failed, 11"})
    void a_task_has_their_fields_whether_it_has_a_place_or_not(String job, int specFields) {
        var role = get("/api/v2/jobs/boss~" + job).getJsonObject("taskRoles").getJsonObject("main");
        assertThat(role.fieldNames()).isEqualTo(words("taskRoleStatus taskStatuses"));
        assertThat(role.getJsonObject("taskRoleStatus").fieldNames()).isEqualTo(words("name"));
        var task = role.getJsonArray("taskStatuses").getJsonObject(0);
        assertThat(task.fieldNames()).isEqualTo(TASK);
        assertThat(task.getJsonObject("hived").fieldNames())
                .isEqualTo(words("affinityGroupName lazyPreempted lazyPreemptionStatus"));
        assertThat(task.getJsonObject("containerPorts").fieldNames())
                .isEqualTo(job.equals("waiting") ? Set.of() : words("ssh http"));
        var spec = task.getJsonObject("containerExitSpec");
        assertThat(spec == null ? Set.of() : spec.fieldNames()).isEqualTo(specFields == 0 ? Set.of() : EXIT_SPEC);
        String attempts = "/api/v2/jobs/boss~" + job + "/attempts/0/taskRoles/main/taskIndex/0/attempts";
        if (job.equals("waiting")) {
            assertThat(boss().get(attempts).statusCode())
                    .as("it has no attempt yet")
                    .isEqualTo(404);
            return;
        }
        var whole = get(attempts);
        var fields = new HashSet<>(TASK);
        fields.add("attempts");
        assertThat(whole.fieldNames()).isEqualTo(fields);
        assertThat(whole.getJsonArray("attempts").getJsonObject(0).fieldNames()).isEqualTo(TASK);
    }

    @Test
    void how_it_ended_is_told_by_code_spec_and_messages_and_is_null_before() {
        var running = get("/api/v2/jobs/boss~running").getJsonObject("jobStatus");
        assertThat(running.getValue("appExitMessages")).isNull();
        assertThat(running.getValue("appExitSpec")).isNull();
        assertThat(running.getInteger("appProgress")).isZero();
        var failed = get("/api/v2/jobs/boss~failed").getJsonObject("jobStatus");
        assertThat(failed.getJsonObject("appExitMessages").fieldNames()).isEqualTo(words("container runtime launcher"));
        assertThat(failed.getJsonObject("appExitSpec").fieldNames()).isEqualTo(EXIT_SPEC);
        assertThat(failed.getInteger("appProgress")).isOne();
        assertThat(failed.getString("appExitTriggerTaskRoleName")).isEqualTo("main");
        assertThat(failed.getInteger("appExitTriggerTaskIndex")).isZero();
        assertThat(failed.getString("appExitType")).isEqualTo("UNKNOWN_FAILURE");
    }

    @Test
    void events_have_their_fields_and_are_counted_whole_whatever_a_page_shows() {
        var events = get("/api/v2/jobs/boss~failed/events");
        assertThat(events.fieldNames()).isEqualTo(words("totalCount data"));
        assertThat(events.getInteger("totalCount"))
                .isEqualTo(events.getJsonArray("data").size());
        assertThat(events.getJsonArray("data").getJsonObject(0).fieldNames())
                .isEqualTo(words(
                        "uid frameworkName podUid taskroleName taskName taskIndex type reason message firstTimestamp"
                                + " lastTimestamp count sourceComponent sourceHost"));
        var none = get("/api/v2/jobs/boss~failed/events?before=1");
        assertThat(none.getJsonArray("data")).isEmpty();
        assertThat(none.getInteger("totalCount")).isEqualTo(events.getInteger("totalCount"));
        assertThat(boss().get("/api/v2/jobs/boss~failed/events?before=x").statusCode())
                .isEqualTo(400);
    }
}
