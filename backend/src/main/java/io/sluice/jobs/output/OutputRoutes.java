package io.sluice.jobs.output;

import io.sluice.files.centre.FileCentre;
import io.sluice.files.centre.FilePage;
import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.saving.Savings;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View;
import io.sluice.web.looks.Looks;
import io.vertx.core.Future;
import java.util.List;

/** What a job leaves in {@code /output}: a panel of its page, and to take it away. */
final class OutputRoutes {
    private final Jobs jobs;
    private final FileCentre centre;
    private final Savings savings;
    private final Live live;
    private final Looks<Followed, FilePage> looks = new Looks<>(Outputs.LOOK.dividedBy(2));

    /** @param own whether by whose it is */
    private record Followed(long user, String job, boolean own) {}

    OutputRoutes(Jobs jobs, FileCentre centre, Savings savings, Live live) {
        this.jobs = jobs;
        this.centre = centre;
        this.savings = savings;
        this.live = live;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/jobs/:job/panels/output", this::panel).withoutApplications(),
                Route.get("/live/jobs/:job/output", this::follow).withoutApplications(),
                Route.post("/jobs/:job/output/remove", this::removeFromPage).withoutApplications(),
                Route.delete("/api/v2/jobs/:job/output", this::remove).scope("files:write"));
    }

    private Future<Job> job(Call call) {
        return job(call.caller(), call.path("job"));
    }

    private Future<Job> job(Caller caller, String key) {
        int tilde = key.indexOf('~');
        return jobs.job(caller, tilde < 0 ? key : key.substring(0, tilde), tilde < 0 ? "" : key.substring(tilde + 1));
    }

    private Future<Reply> panel(Call call) {
        return job(call)
                .compose(job -> page(job, call.caller(), files(job, call.caller())))
                .map(page -> Reply.page("jobs/output.jte", page));
    }

    private Future<Reply> follow(Call call) {
        String key = call.path("job");
        return job(call)
                .map(job -> live.follow(
                        call,
                        Outputs.TOPIC,
                        (caller, cursor) -> job(caller, key)
                                .compose(now -> page(now, caller, followed(now, caller)))
                                .map(page -> page.since(cursor))));
    }

    private Future<FilePage> files(Job job, Caller caller) {
        return centre.output(job.userId(), job.user(), job.name(), caller);
    }

    /** As it was a moment ago: a folder may hold very much, and many may look. */
    private Future<FilePage> followed(Job job, Caller caller) {
        var what = new Followed(job.userId(), job.name(), job.userId() == caller.id());
        return looks.at(what, () -> files(job, caller));
    }

    private Future<OutputPanel> page(Job job, Caller caller, Future<FilePage> files) {
        return files.compose(found -> jobs.data(job)
                .compose(data -> savings.tasks(job)
                        .map(savable -> new OutputPanel(job, found, job.userId() == caller.id(), data, savable))));
    }

    private Future<Reply> remove(Call call) {
        return removed(call).map(job -> Reply.nothing());
    }

    private Future<Reply> removeFromPage(Call call) {
        return removed(call)
                .map(job -> Reply.seeOther("/jobs/" + job.key())
                        .noting(call, View.Note.good("note.outputRemoved", job.name())));
    }

    private Future<Job> removed(Call call) {
        return job(call).compose(job -> {
            if (!job.isFinal()) {
                throw Problem.of(
                        Problem.Kind.CONFLICT,
                        "Job " + job.key() + " has not ended and may still write its output. Stop it first.");
            }
            return centre.removeOutput(job.userId(), job.name()).map(removed -> {
                if (!removed) {
                    throw Problem.notFound("Job " + job.key() + " has left no output.");
                }
                return job;
            });
        });
    }
}
