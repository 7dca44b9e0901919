package io.sluice.jobs.api;

import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.vertx.core.Future;

/** What a path names. */
final class Path {
    private Path() {}

    /** The job of {@code :job}, which is {@code user~name}. */
    static Future<Job> job(Jobs jobs, Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        return tilde <= 0
                ? Future.failedFuture(Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found."))
                : jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1));
    }

    static int number(Call call, String name) {
        String text = call.path(name);
        if (!text.matches("\\d{1,9}")) {
            throw Problem.invalid("The " + name + " in the path must be a number, not " + text + ".");
        }
        return Integer.parseInt(text);
    }
}
