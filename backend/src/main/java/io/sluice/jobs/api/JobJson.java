package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.JobSpec;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Jobs in OpenPAI's fields. Times are milliseconds since 1970. */
final class JobJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JobJson() {}

    static ObjectNode summary(Job.Summary job) {
        var json = object();
        json.put("debugId", md5(job.key()));
        json.put("name", job.name()).put("username", job.user());
        state(json, job);
        json.set("tags", JSON.valueToTree(job.tags()));
        retries(json, job);
        json.put("retryDelayTime", delay(job));
        json.put("submissionTime", job.submitted().toEpochMilli());
        times(json, job);
        json.put("virtualCluster", job.virtualCluster());
        numbers(json, job);
        json.put("jobPriority", job.priorityClass());
        return json;
    }

    /** Version 1 knows less. */
    static ObjectNode oldSummary(Job.Summary job) {
        ObjectNode json = summary(job);
        json.remove(List.of("debugId", "tags", "retryDelayTime", "submissionTime", "launchedTime", "jobPriority"));
        return json;
    }

    private static void state(ObjectNode json, Job.Summary job) {
        json.put("state", job.state().name())
                .put("subState", job.phase().subState())
                .put("executionType", job.stop() ? "STOP" : "START");
    }

    private static void retries(ObjectNode json, Job.Summary job) {
        json.put("retries", job.retries());
        json.putObject("retryDetails")
                .put("user", job.userRetries())
                .put("platform", job.retries() - job.userRetries())
                .put("resource", 0);
    }

    private static void times(ObjectNode json, Job.Summary job) {
        json.put("createdTime", job.submitted().toEpochMilli());
        json.put("launchedTime", millis(job.launched()));
        json.put("completedTime", millis(job.completed()));
        json.put("appExitCode", job.phase() == Job.Phase.FINALISED ? job.exitCode() : null);
    }

    private static void numbers(ObjectNode json, Job.Summary job) {
        json.put("totalGpuNumber", job.devices())
                .put("totalTaskNumber", job.tasks())
                .put("totalTaskRoleNumber", job.roles());
    }

    /** In seconds, while a retry is waited for. */
    private static @Nullable Long delay(Job.Summary job) {
        Instant due = job.due();
        return due == null
                ? null
                : Math.max(0, Duration.between(Instant.now(), due).toSeconds());
    }

    static ObjectNode detail(JobDetail detail) {
        Job job = detail.job();
        var json = object();
        json.put("debugId", md5(job.key())).put("name", job.name());
        json.set("tags", JSON.valueToTree(job.tags()));
        json.put("jobPriority", job.priorityClass());
        json.set("jobStatus", status(detail));
        json.set("taskRoles", roles(detail));
        return json;
    }

    /** As {@link #detail}, with what tells attempts apart. */
    static ObjectNode attempt(JobDetail detail) {
        return detail(detail).put("attemptIndex", detail.attempt().number()).put("isLatest", detail.isPresent());
    }

    static ObjectNode oldDetail(JobDetail detail) {
        ObjectNode json = detail(detail);
        json.remove(List.of("debugId", "tags", "jobPriority"));
        ((ObjectNode) json.get("jobStatus"))
                .remove(List.of("attemptId", "attemptState", "retryDelayTime", "submissionTime", "launchedTime"));
        return json;
    }

    private static ObjectNode status(JobDetail detail) {
        Job.Summary job = detail.job().summary();
        var json = object().put("username", job.user());
        state(json, job);
        retries(json, job);
        json.put("retryDelayTime", delay(job));
        json.put("submissionTime", job.submitted().toEpochMilli());
        times(json, job);
        app(json, detail);
        json.put("virtualCluster", job.virtualCluster());
        if (detail.job().doubt() != null) {
            json.put("unknownReason", detail.job().doubt());
        }
        Waiting waiting = detail.job().waiting();
        if (waiting != null) {
            json.set("waiting", WaitingJson.of(waiting));
        }
        return json;
    }

    /** OpenPAI's word for an attempt is the app. */
    private static void app(ObjectNode json, JobDetail detail) {
        var attempt = detail.attempt();
        var job = detail.job();
        Exit exit = attempt.exit();
        json.put("attemptId", attempt.number());
        json.put("attemptState", detail.state().name());
        json.put("appId", uid(job.id() + "/" + attempt.number()));
        json.put("appProgress", attempt.completed() == null ? 0 : 1);
        json.put("appTrackingUrl", "");
        Instant created = attempt.created();
        json.put("appCreatedTime", (created == null ? job.submitted() : created).toEpochMilli());
        json.put("appLaunchedTime", millis(attempt.launched()));
        json.put("appCompletedTime", millis(attempt.completed()));
        json.put("appExitCode", exit == null ? null : exit.code());
        json.set("appExitSpec", spec(exit));
        json.put("appExitDiagnostics", exit == null ? null : exit.message());
        json.set("appExitMessages", messages(exit));
        json.put("appExitTriggerMessage", exit == null ? null : exit.trigger());
        json.put("appExitTriggerTaskRoleName", exit == null ? null : exit.role());
        json.put("appExitTriggerTaskIndex", exit == null ? null : exit.index());
        json.put(
                "appExitType",
                exit == null
                        ? (String) null
                        : ExitCatalogue.of(exit.code()).type().name());
    }

    private static com.fasterxml.jackson.databind.JsonNode spec(@Nullable Exit exit) {
        return exit == null ? JsonNodeFactory.instance.nullNode() : JSON.valueToTree(ExitCatalogue.of(exit.code()));
    }

    private static com.fasterxml.jackson.databind.JsonNode messages(@Nullable Exit exit) {
        if (exit == null) {
            return JsonNodeFactory.instance.nullNode();
        }
        var json = object();
        json.put("container", exit.message());
        var runtime = json.putObject("runtime");
        Integer original = exit.original();
        if (original != null) {
            var known = ExitCatalogue.of(exit.code());
            runtime.put("exitCode", exit.code())
                    .put("originUserExitCode", original)
                    .put("originalUserExitCode", original)
                    .put("name", known.phrase())
                    .put("reason", known.reason());
            runtime.set("solution", JSON.valueToTree(known.solution()));
            runtime.putObject("errorLogs").put("user", exit.line());
        }
        json.putNull("launcher");
        return json;
    }

    private static ObjectNode roles(JobDetail detail) {
        var json = object();
        for (var role : detail.spec().roles()) {
            var one = json.putObject(role.name());
            one.putObject("taskRoleStatus").put("name", role.name());
            one.set("taskStatuses", tasks(detail, role));
        }
        return json;
    }

    private static ArrayNode tasks(JobDetail detail, JobSpec.Role role) {
        var json = JsonNodeFactory.instance.arrayNode();
        var placed = detail.tasks(role.name()).stream().collect(Collectors.toMap(JobDetail.Task::index, task -> task));
        for (int index = 0; index < role.instances(); index++) {
            JobDetail.Task task = placed.get(index);
            json.add(task == null ? waiting(detail, role.name(), index) : TaskJson.status(detail, task));
        }
        return json;
    }

    /** A task that has not got its place. */
    private static ObjectNode waiting(JobDetail detail, String role, int index) {
        return TaskJson.waiting(detail, role, index);
    }

    static ObjectNode taskAttempts(JobDetail detail, List<JobDetail.Task> attempts) {
        var json = TaskJson.status(detail, attempts.getFirst());
        var all = json.putArray("attempts");
        attempts.forEach(task -> all.add(TaskJson.status(detail, task)));
        return json;
    }

    static ObjectNode event(Job job, JobDetail.Event event) {
        long at = event.at().toEpochMilli();
        String role = event.role();
        return object().put("uid", uid("event/" + event.id()))
                .put("frameworkName", job.key())
                .put("podUid", "")
                .put("taskroleName", role == null ? "" : role)
                .put("taskName", role == null ? "" : role + "-" + event.index())
                .put("taskIndex", event.index())
                .put("type", event.warning() ? "Warning" : "Normal")
                .put("reason", event.reason())
                .put("message", event.message())
                .put("firstTimestamp", at)
                .put("lastTimestamp", at)
                .put("count", 1)
                .put("sourceComponent", "sluice")
                .put("sourceHost", "");
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : time.toEpochMilli();
    }

    /** The same number for the same thing, always. */
    static String uid(String thing) {
        return UUID.nameUUIDFromBytes(thing.getBytes(StandardCharsets.UTF_8)).toString();
    }

    private static String md5(String key) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5").digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
