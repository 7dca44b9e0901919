package io.sluice.jobs.pages;

import io.sluice.jobs.JobFilter;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;

/** The list of jobs. */
final class JobListRoutes {
    private final Jobs jobs;

    JobListRoutes(Jobs jobs, Tally tally, Live live) {
        this.jobs = jobs;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs", this::list).withoutApplications());
    }

    private Future<Reply> list(Call call) {
        return jobs.page(call.caller(), JobFilter.ALL, null, 50)
                .map(page -> Reply.page(call, "jobs/list.jte", new ListPage(page.jobs(), call.note())));
    }
}
