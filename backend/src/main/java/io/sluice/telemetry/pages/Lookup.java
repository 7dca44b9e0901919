package io.sluice.telemetry.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Which job and which of its tasks a request is about. */
final class Lookup {
    private final Jobs jobs;

    Lookup(Jobs jobs) {
        this.jobs = jobs;
    }

    /**
     * @param tasks that have begun, of those that were asked for
     * @param omitted how many more there are than one answer has room for
     */
    record Found(JobDetail detail, List<JobDetail.Task> tasks, int omitted) {}

    /** @param most tasks of which an answer can tell */
    Future<Found> of(Call call, int most) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found.");
        }
        Optional<Long> attempt = number(call, "attempt");
        Optional<Long> index = number(call, "index");
        Optional<Long> taskAttempt = number(call, "taskAttempt");
        Optional<String> role = call.query("role").filter(text -> !text.isEmpty());
        if (taskAttempt.isPresent() && (role.isEmpty() || index.isEmpty())) {
            throw Problem.invalid("taskAttempt is one of a task's: say role and index, too.");
        }
        return jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1))
                .compose(job -> jobs.detail(job, attempt.map(Long::intValue).orElse(null)))
                .compose(detail -> tasks(detail, role, index, taskAttempt)
                        .map(tasks -> new Found(
                                detail, tasks.stream().limit(most).toList(), Math.max(0, tasks.size() - most))));
    }

    private Future<List<JobDetail.Task>> tasks(
            JobDetail detail, Optional<String> role, Optional<Long> index, Optional<Long> taskAttempt) {
        Future<List<JobDetail.Task>> all = taskAttempt.isEmpty()
                ? Future.succeededFuture(detail.tasks())
                : jobs.taskAttempts(
                                detail.job(),
                                detail.attempt().number(),
                                role.orElseThrow(),
                                index.orElseThrow().intValue())
                        .map(attempts -> attempts.stream()
                                .filter(task -> task.attempt() == taskAttempt.get())
                                .toList());
        return all.map(tasks -> tasks.stream()
                .filter(task -> role.isEmpty() || task.role().equals(role.get()))
                .filter(task -> index.isEmpty() || task.index() == index.get())
                .filter(task -> task.launched() != null)
                .toList());
    }

    static Optional<Long> number(Call call, String name) {
        return call.query(name).filter(text -> !text.isEmpty()).map(text -> {
            if (!text.matches("\\d{1,15}")) {
                throw Problem.invalid(name + " is a number.");
            }
            return Long.valueOf(text);
        });
    }
}
