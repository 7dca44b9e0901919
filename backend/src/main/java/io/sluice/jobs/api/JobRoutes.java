package io.sluice.jobs.api;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.gang.RankTable;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One job: what it is, what became of it, and what to do with it. */
final class JobRoutes {
    static final String READ = "jobs:read";
    private static final String JOB = "/api/v2/jobs/:job";
    private static final int MOST_EVENTS = 10_000;
    private static final int MOST_ATTEMPTS = 100;

    private final Jobs jobs;
    private final SshJson ssh;

    JobRoutes(Jobs jobs, SshJson ssh) {
        this.jobs = jobs;
        this.ssh = ssh;
    }

    List<Route> routes() {
        var reading = Stream.of(
                        Route.get(JOB, this::detail),
                        Route.get(JOB + "/attempts/:attempt", this::attempt),
                        Route.get(
                                JOB + "/attempts/:attempt/taskRoles/:role/taskIndex/:index/attempts",
                                this::taskAttempts),
                        Route.get(JOB + "/config", this::config),
                        Route.get(JOB + "/events", this::events),
                        Route.get(JOB + "/rank-table", this::rankTable),
                        Route.get(JOB + "/ssh", this::ssh),
                        Route.get(JOB + "/job-attempts", this::attempts),
                        Route.get(JOB + "/job-attempts/healthz", this::healthy),
                        Route.get(JOB + "/job-attempts/:attempt", this::attempt))
                .map(route -> route.scope(READ));
        var writing = Stream.of(
                        Route.put(JOB + "/executionType", this::execute),
                        Route.put(JOB + "/tag", this::tag),
                        Route.delete(JOB + "/tag", this::untag))
                .map(route -> route.scope(SubmitRoutes.WRITE));
        return Stream.concat(reading, writing).toList();
    }

    private Future<Reply> detail(Call call) {
        return Path.job(jobs, call)
                .compose(job -> jobs.detail(job, null))
                .map(detail -> Reply.json(JobJson.detail(detail)));
    }

    private Future<Reply> attempt(Call call) {
        int number = Path.number(call, "attempt");
        return Path.job(jobs, call)
                .compose(job -> jobs.detail(job, number))
                .map(detail -> Reply.json(JobJson.attempt(detail)));
    }

    private Future<Reply> rankTable(Call call) {
        String attempt = call.query("attempt").orElse("");
        if (!attempt.matches("\\d{0,9}")) {
            throw Problem.invalid("attempt is a whole number from 0, not " + attempt + ".");
        }
        return Path.job(jobs, call)
                .compose(job -> jobs.detail(job, attempt.isEmpty() ? null : Integer.valueOf(attempt)))
                .map(detail -> {
                    RankTable table = RankTable.of(
                                    detail.gang(), call.query("form").orElse(""))
                            .orElseThrow(() -> Problem.notFound("Job "
                                    + detail.job().key() + " has no rank table: it has no NPUs, or asks for none."));
                    String fault = table.fault();
                    if (fault != null) {
                        throw Problem.of(Problem.Kind.CONFLICT, fault);
                    }
                    return Reply.bytes("application/json", Buffer.buffer(table.json()))
                            .header("Content-Disposition", "attachment; filename=\"hccl.json\"");
                });
    }

    private Future<Reply> attempts(Call call) {
        long before = before(call);
        return Path.job(jobs, call).compose(job -> {
            int newest = (int) Math.min(job.attempt(), before - 1);
            int oldest = Math.max(0, newest - MOST_ATTEMPTS + 1);
            List<Future<JobDetail>> all = IntStream.rangeClosed(oldest, newest)
                    .mapToObj(number -> jobs.detail(job, oldest + newest - number))
                    .toList();
            return Future.all(all)
                    .map(read -> next(
                            Reply.json(all.stream()
                                    .map(detail -> JobJson.attempt(detail.result()))
                                    .toList()),
                            oldest > 0 ? "before=" + oldest : null));
        });
    }

    /** The number that those of a page are below; without one, it is the first page. */
    private static long before(Call call) {
        String text = call.query("before").orElse("");
        if (!text.isEmpty() && !text.matches("\\d{1,18}")) {
            throw Problem.invalid("before is what the Link of the page before had, not " + text + ".");
        }
        return text.isEmpty() ? Long.MAX_VALUE : Long.parseLong(text);
    }

    private static Reply next(Reply reply, @Nullable String query) {
        return query == null ? reply : reply.header("Link", "<?" + query + ">; rel=\"next\"");
    }

    private Future<Reply> healthy(Call call) {
        return Path.job(jobs, call).map(job -> Reply.json(Map.of("status", "OK")));
    }

    private Future<Reply> taskAttempts(Call call) {
        int attempt = Path.number(call, "attempt");
        int index = Path.number(call, "index");
        String role = call.path("role");
        return Path.job(jobs, call)
                .compose(job -> jobs.detail(job, attempt)
                        .compose(detail -> jobs.taskAttempts(job, attempt, role, index)
                                .map(tasks -> {
                                    if (tasks.isEmpty()) {
                                        throw Problem.of(
                                                Problem.Kind.NOT_FOUND,
                                                "NoTaskError",
                                                "Task " + role + " " + index + " of job " + job.key()
                                                        + " is not found.");
                                    }
                                    return Reply.json(JobJson.taskAttempts(detail, tasks));
                                })));
    }

    private Future<Reply> config(Call call) {
        return Path.job(jobs, call)
                .compose(jobs::config)
                .map(config -> Reply.bytes("text/yaml; charset=utf-8", Buffer.buffer(config)));
    }

    private Future<Reply> events(Call call) {
        Boolean warning = switch (call.query("type").orElse("")) {
            case "Warning" -> true;
            case "Normal" -> false;
            case "" -> null;
            default -> throw Problem.invalid("The type of events is Warning or Normal.");
        };
        long before = before(call);
        return Path.job(jobs, call).compose(job -> {
            var page = jobs.events(job, warning, before, MOST_EVENTS);
            var total = jobs.countEvents(job, warning);
            return Future.all(page, total).map(read -> events(call, job, page.result(), total.result()));
        });
    }

    private static Reply events(Call call, Job job, List<JobDetail.Event> events, long total) {
        var json = Map.of(
                "totalCount",
                total,
                "data",
                events.stream().map(event -> JobJson.event(job, event)).toList());
        String type = call.query("type").map(given -> "&type=" + given).orElse("");
        return next(
                Reply.json(json),
                events.size() < MOST_EVENTS
                        ? null
                        : "before=" + events.getLast().id() + type);
    }

    private Future<Reply> ssh(Call call) {
        return Path.job(jobs, call).compose(job -> ssh.of(call, job));
    }

    private Future<Reply> execute(Call call) {
        return Path.job(jobs, call)
                .compose(job -> execute(jobs, call, job)
                        .map(news -> Reply.json(Map.of(
                                        "status",
                                        202,
                                        "message",
                                        executed(job, "Execute job " + job.key() + " successfully.", news)))
                                .status(202)));
    }

    /** OpenPAI answers the same whatever became of it; so that old clients go on, the difference is in the words. */
    static String executed(Job job, String done, boolean news) {
        return news
                ? done
                : "Nothing was changed: job " + job.key() + " is " + job.state()
                        + ". Only one that is not over can be stopped, and only a stopped one started again.";
    }

    static Future<Boolean> execute(Jobs jobs, Call call, Job job) {
        return switch (call.field("value").orElse("")) {
            case "STOP" -> jobs.stop(call.caller(), job);
            case "START" -> jobs.start(call.caller(), job);
            default -> throw Problem.invalid("The value of executionType is STOP or START.");
        };
    }

    private Future<Reply> tag(Call call) {
        String tag = tagOf(call);
        return Path.job(jobs, call)
                .compose(job -> jobs.tag(job, tag)
                        .map(added -> done("Add tag " + tag + " for job " + job.key() + " successfully.")));
    }

    private Future<Reply> untag(Call call) {
        String tag = tagOf(call);
        return Path.job(jobs, call)
                .compose(job -> jobs.untag(job, tag).map(removed -> {
                    if (!removed) {
                        throw Problem.of(
                                Problem.Kind.NOT_FOUND,
                                "NoTagError",
                                "Tag " + tag + " of job " + job.key() + " is not found.");
                    }
                    return done("Delete tag " + tag + " from job " + job.key() + " successfully.");
                }));
    }

    private static String tagOf(Call call) {
        String tag = call.field("value").orElse("").strip();
        if (!Jobs.TAG.matcher(tag).matches()) {
            throw Problem.invalid(
                    "A tag is a text of 1 to 255 characters without a comma, all of which can be seen, in the field"
                            + " value.");
        }
        return tag;
    }

    private static Reply done(String message) {
        return Reply.json(Map.of("status", 200, "message", message));
    }
}
