package io.sluice.jobs.api;

import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.stream.Stream;

/** One job, by the paths of version 1. */
final class OldRoutes {
    private static final String JOB = "/api/v1/user/:user/jobs/:name";

    private final Jobs jobs;
    private final SshJson ssh;

    OldRoutes(Jobs jobs, SshJson ssh) {
        this.jobs = jobs;
        this.ssh = ssh;
    }

    List<Route> routes() {
        var reading = Stream.of(
                        Route.get(JOB, this::detail),
                        Route.get(JOB + "/config", this::config),
                        Route.get(JOB + "/ssh", this::ssh))
                .map(route -> route.scope(JobRoutes.READ));
        var writing = Stream.of(Route.put(JOB + "/executionType", this::execute), Route.delete(JOB, this::delete))
                .map(route -> route.scope(SubmitRoutes.WRITE));
        return Stream.concat(reading, writing).toList();
    }

    private Future<Job> job(Call call) {
        return jobs.job(call.caller(), call.path("user"), call.path("name"));
    }

    private Future<Reply> detail(Call call) {
        return job(call).compose(job -> jobs.detail(job, null)).map(detail -> Reply.json(JobJson.oldDetail(detail)));
    }

    private Future<Reply> config(Call call) {
        return job(call).compose(jobs::config).map(config -> {
            String type = config.stripLeading().startsWith("{") ? "application/json" : "text/yaml";
            return Reply.bytes(type + "; charset=utf-8", Buffer.buffer(config));
        });
    }

    private Future<Reply> ssh(Call call) {
        return job(call).compose(job -> ssh.of(call, job));
    }

    private Future<Reply> execute(Call call) {
        return job(call)
                .compose(job -> JobRoutes.execute(jobs, call, job)
                        .map(news -> Reply.message(
                                202, JobRoutes.executed(job, "execute job " + job.name() + " successfully", news))));
    }

    private Future<Reply> delete(Call call) {
        return job(call).map(job -> {
            throw Problem.of(
                    Problem.Kind.INVALID,
                    "NotImplementedError",
                    "The history of jobs is kept. Stop job " + job.key() + " instead.");
        });
    }
}
