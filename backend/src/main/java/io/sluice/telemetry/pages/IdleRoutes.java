package io.sluice.telemetry.pages;

import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.sluice.jobs.pages.Remark;
import io.sluice.telemetry.idle.Idle;
import io.sluice.telemetry.idle.Warning;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job whose devices do nothing: what its page says of it, and the button that keeps it. */
final class IdleRoutes {
    private final Jobs jobs;
    private final Idle idle;

    IdleRoutes(Jobs jobs, Idle idle) {
        this.jobs = jobs;
        this.idle = idle;
    }

    List<Route> routes() {
        return List.of(
                Route.post("/jobs/:job/idle/keep", this::keep).withoutApplications(),
                Route.get("/api/v2/jobs/:job/idle", this::state).scope("jobs:read"),
                Route.put("/api/v2/jobs/:job/idle/keep", this::keepByProgram).scope("jobs:write"));
    }

    /** Whoever may see a job is its owner or an administrator, who may keep it. */
    private Future<Job> job(Call call) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        if (tilde <= 0) {
            throw Problem.of(Problem.Kind.NOT_FOUND, "NoJobError", "Job " + key + " is not found.");
        }
        return jobs.job(call.caller(), key.substring(0, tilde), key.substring(tilde + 1));
    }

    private Future<Reply> keep(Call call) {
        return job(call)
                .compose(job -> idle.keep(job.id(), call.caller().name(), Instant.now())
                        .map(kept -> {
                            Reply back = Reply.seeOther("/jobs/" + job.key());
                            return kept ? back : back.noting(call, Note.bad("note.idle.notKept", job.name()));
                        }));
    }

    private Future<Reply> keepByProgram(Call call) {
        return job(call)
                .compose(job -> idle.keep(job.id(), call.caller().name(), Instant.now())
                        .map(kept -> {
                            if (!kept) {
                                throw Problem.of(
                                        Problem.Kind.CONFLICT,
                                        "NotWarnedError",
                                        "Job " + job.key() + " was not warned, so there is nothing to keep it from.");
                            }
                            return Reply.message(200, "keep job " + job.key() + " successfully");
                        }));
    }

    private Future<Reply> state(Call call) {
        return job(call)
                .compose(job -> idle.of(job.id(), job.attempt())
                        .map(found -> SeriesRoutes.json(
                                json(found.orElse(null), Instant.now()).toBuffer())));
    }

    private static JsonObject json(@Nullable Warning warning, Instant now) {
        if (warning == null) {
            return new JsonObject().put("state", "NONE");
        }
        var json = new JsonObject()
                .put("state", word(warning, now))
                .put("idleSeconds", warning.quietMillis() / 1000)
                .put("seen", warning.seen().toString());
        if (warning.warned() != null) {
            json.put("warned", warning.warned().toString())
                    .put("then", warning.then().name())
                    .put("due", warning.then() == Then.WARN ? null : Objects.toString(warning.due(), null))
                    .put("keepHours", warning.keepHours());
        }
        return warning.isKept(now)
                ? json.put("keptUntil", Objects.toString(warning.kept(), null)).put("keptBy", warning.keptBy())
                : json;
    }

    private static String word(Warning warning, Instant now) {
        return warning.done() != null
                ? "ENDED"
                : warning.warned() != null ? "WARNED" : warning.isKept(now) ? "KEPT" : "WATCHED";
    }

    /** What stands on top of the job's page. */
    static Future<Optional<Remark>> remark(Idle idle, Remark.Named job, int attempt) {
        return idle.of(job.id(), attempt).map(found -> found.flatMap(warning -> remark(warning, job, Instant.now())));
    }

    private static Optional<Remark> remark(Warning warning, Remark.Named job, Instant now) {
        Instant warned = warning.warned();
        if (warned == null) {
            Instant until = warning.kept();
            return until == null || !warning.isKept(now)
                    ? Optional.empty()
                    : Optional.of(new Remark(
                            false,
                            Note.good("idle.kept", Objects.requireNonNullElse(warning.keptBy(), "")),
                            new Remark.When(
                                    Note.good("idle.kept.before"),
                                    until,
                                    Note.good("idle.kept.after", warning.cluster())),
                            null));
        }
        String then = warning.then().name().toLowerCase(Locale.ROOT);
        Instant done = warning.done();
        if (done != null) {
            long minutes = warning.minutes() + Duration.between(warned, done).toMinutes();
            return Optional.of(
                    new Remark(false, Note.good("idle.done." + then, minutes, warning.cluster()), null, null));
        }
        long minutes =
                warning.minutes() + Math.max(0, Duration.between(warned, now).toMinutes());
        Instant due = warning.due();
        return Optional.of(new Remark(
                true,
                Note.good("idle.warned", minutes),
                due == null || warning.then() == Then.WARN
                        ? null
                        : new Remark.When(
                                Note.good("idle." + then + ".before"), due, Note.good("idle." + then + ".after")),
                new Remark.Act(Note.good("idle.keep", warning.keepHours()), "/jobs/" + job.key() + "/idle/keep")));
    }
}
