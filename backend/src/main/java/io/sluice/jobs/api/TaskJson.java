package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.life.Exit;
import java.util.stream.Collectors;

/** Tasks in OpenPAI's fields. */
final class TaskJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private TaskJson() {}

    static ObjectNode status(JobDetail detail, JobDetail.Task task) {
        Exit exit = task.exit();
        String state = detail.state(task).name();
        var json = JobJson.object()
                .put("taskIndex", task.index())
                .put("taskUid", JobJson.uid(detail.job().id() + "/" + task.role() + "/" + task.index()))
                .put("taskState", state)
                .put("containerId", JobJson.uid("task/" + task.id()))
                .put("containerIp", task.address())
                .put("containerNodeName", task.node());
        var ports = json.putObject("containerPorts");
        task.ports()
                .forEach((label, numbers) ->
                        ports.put(label, numbers.stream().map(String::valueOf).collect(Collectors.joining(","))));
        json.putNull("containerGpus");
        json.put("containerLog", log(detail, task.role(), task.index(), task.attempt()));
        json.put("containerExitCode", exit == null ? null : exit.code());
        json.set("containerExitSpec", exit == null ? null : JSON.valueToTree(ExitCatalogue.of(exit.code())));
        json.put("containerExitDiagnostics", exit == null ? null : exit.message());
        json.put("retries", task.retries()).put("accountableRetries", task.userRetries());
        json.put("createdTime", task.first().toEpochMilli())
                .put("launchedTime", JobJson.millis(task.begun()))
                .put("completedTime", JobJson.millis(task.completed()))
                .put("attemptId", task.attempt())
                .put("attemptState", state)
                .put("currentAttemptCreatedTime", task.created().toEpochMilli())
                .put("currentAttemptLaunchedTime", JobJson.millis(task.launched()))
                .put("currentAttemptCompletedTime", JobJson.millis(task.completed()));
        json.set("hived", hived(detail, task.role()));
        return json;
    }

    /** Of a task that has no place yet, or never got one. */
    static ObjectNode waiting(JobDetail detail, String role, int index) {
        String state = detail.stateOfUnplaced().name();
        var json = JobJson.object()
                .put("taskIndex", index)
                .put("taskUid", JobJson.uid(detail.job().id() + "/" + role + "/" + index))
                .put("taskState", state)
                .put("containerId", "")
                .put("containerIp", "")
                .put("containerNodeName", "");
        json.putObject("containerPorts");
        json.putNull("containerGpus");
        json.put("containerLog", log(detail, role, index, 0));
        json.putNull("containerExitCode").putNull("containerExitSpec").putNull("containerExitDiagnostics");
        json.put("retries", 0).put("accountableRetries", 0);
        json.put("createdTime", detail.job().submitted().toEpochMilli())
                .put("launchedTime", (Long) null)
                .put("completedTime", (Long) null)
                .put("attemptId", 0)
                .put("attemptState", state)
                .put("currentAttemptCreatedTime", detail.job().submitted().toEpochMilli())
                .put("currentAttemptLaunchedTime", (Long) null)
                .put("currentAttemptCompletedTime", (Long) null);
        json.set("hived", hived(detail, role));
        return json;
    }

    /** What OpenPAI's scheduler of that name would say: of it there is the group that a job asked for, and nothing to tell of. */
    private static ObjectNode hived(JobDetail detail, String role) {
        var sku = detail.spec().role(role).sku();
        return JobJson.object()
                .put("affinityGroupName", sku == null ? null : sku.affinityGroup())
                .putNull("lazyPreempted")
                .putNull("lazyPreemptionStatus");
    }

    private static String log(JobDetail detail, String role, int index, int attempt) {
        return "/api/v2/jobs/" + detail.job().key() + "/attempts/"
                + detail.attempt().number() + "/taskRoles/" + role + "/taskIndex/" + index + "/attempts/" + attempt
                + "/logs";
    }
}
