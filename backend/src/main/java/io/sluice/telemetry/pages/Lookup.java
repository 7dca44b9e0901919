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
    static final int MOST_TASKS = 16;

    private final Jobs jobs;

    Lookup(Jobs jobs) {
        this.jobs = jobs;
    }

    /** @param tasks that have begun, of those that were asked for */
    record Found(JobDetail detail, List<JobDetail.Task> tasks) {}

    Future<Found> of(Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found.");
        }
        Optional<Long> attempt = number(call, "attempt");
        Optional<Long> index = number(call, "index");
        Optional<String> role = call.query("role").filter(text -> !text.isEmpty());
        return jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1))
                .compose(job -> jobs.detail(job, attempt.map(Long::intValue).orElse(null)))
                .map(detail -> new Found(
                        detail,
                        detail.tasks().stream()
                                .filter(task -> role.isEmpty() || task.role().equals(role.get()))
                                .filter(task -> index.isEmpty() || task.index() == index.get())
                                .filter(task -> task.launched() != null)
                                .limit(MOST_TASKS)
                                .toList()));
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
