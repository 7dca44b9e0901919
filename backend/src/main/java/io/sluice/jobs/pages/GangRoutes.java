package io.sluice.jobs.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;

/** What the tasks of a job are told of one another, on its page. */
final class GangRoutes {
    private final Jobs jobs;

    GangRoutes(Jobs jobs) {
        this.jobs = jobs;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs/:job/panels/gang", this::panel).withoutApplications());
    }

    private Future<Reply> panel(Call call) {
        Look look = Look.of(call.path("job"), call);
        return detail(call, look).map(detail -> Reply.page("jobs/gang.jte", GangPanel.of(detail, task(detail, look))));
    }

    private Future<JobDetail> detail(Call call, Look look) {
        String key = look.job();
        int tilde = key.indexOf('~');
        return jobs.job(
                        call.caller(),
                        tilde < 0 ? key : key.substring(0, tilde),
                        tilde < 0 ? "" : key.substring(tilde + 1))
                .compose(job -> jobs.detail(job, look.attempt()));
    }

    /** The one of the address, else the first. */
    private static JobDetail.Task task(JobDetail detail, Look look) {
        String role = look.role();
        return detail.tasks().stream()
                .filter(task -> role == null || look.chose(task.role(), task.index()))
                .findFirst()
                .orElseThrow(() -> Problem.notFound("Job " + look.job() + " has no such task that has its place."));
    }
}
