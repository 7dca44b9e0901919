package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.Submitted;
import io.sluice.jobs.pages.JobReading.Saying;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One job: how it stands, what became of it, and what to do with it. */
final class JobPageRoutes {
    private static final String JOB = "/jobs/:job";
    private static final int LONGEST_NAME = 255;
    private static final int NAMES_TRIED = 1000;
    private static final int TRIES = 3;
    private static final Pattern NUMBERED = Pattern.compile("(.+?)_(\\d{1,9})");

    private final Jobs jobs;
    private final Live live;
    private final JobReading reading;

    JobPageRoutes(Jobs jobs, Live live, List<Panel> panels, Remark.Source remarks) {
        this.jobs = jobs;
        this.live = live;
        this.reading = new JobReading(jobs, panels, remarks);
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get(JOB, call -> draw(call, new Saying("", null, call.note()))),
                        Route.get("/live/jobs/:job", this::follow),
                        Route.get(JOB + "/config", this::config),
                        Route.post(JOB + "/stop", this::stop),
                        Route.post(JOB + "/start", this::start),
                        Route.post(JOB + "/again", this::again),
                        Route.post(JOB + "/tags", this::tag),
                        Route.post(JOB + "/tags/remove", this::untag))
                .map(Route::withoutApplications)
                .toList();
    }

    private Future<Job> job(Call call) {
        return found(call, null).map(changes -> changes.jobs().getFirst());
    }

    /** The job of the path with a cursor from before it was read. */
    private Future<JobFilter.Changes> found(Call call, @Nullable String cursor) {
        String key = call.path("job");
        int tilde = key.indexOf('~');
        String user = tilde < 0 ? key : key.substring(0, tilde);
        String name = tilde < 0 ? "" : key.substring(tilde + 1);
        return jobs.since(call.caller(), user, name, cursor).map(changes -> {
            if (changes.jobs().isEmpty()) {
                throw Jobs.noJob(user, name);
            }
            return changes;
        });
    }

    private Future<Reply> draw(Call call, Saying saying) {
        return found(call, null).compose(changes -> {
            Job job = changes.jobs().getFirst();
            return reading.page(job, Look.of(job.key(), call), changes.cursor(), saying)
                    .map(page -> Reply.page(call, "jobs/job.jte", page));
        });
    }

    private Future<Reply> follow(Call call) {
        return job(call).map(job -> {
            Look look = Look.of(job.key(), call);
            return live.follow(call, Jobs.TOPIC, new Following(job, look));
        });
    }

    /** Keeps one page current. */
    private final class Following implements Live.Feed {
        private final String user;
        private final String name;
        private final Look look;
        /** Whether it was queued when it was looked at last. */
        private volatile boolean queued;
        /** As it was told last; null: what the page was drawn from is not known. */
        private volatile @Nullable Job told;

        Following(Job job, Look look) {
            this.user = job.user();
            this.name = job.name();
            this.look = look;
            this.queued = job.phase() == Job.Phase.QUEUED;
        }

        /** While it is queued its place and its reason move without a change of the job's own, so those are compared. */
        @Override
        public Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
            Job last = queued ? told : null;
            return jobs.since(caller, user, name, queued ? null : cursor)
                    .compose(changes -> changes.jobs().stream()
                            .findFirst()
                            .filter(job -> !job.equals(last))
                            .map(job -> redrawn(job, changes.cursor()))
                            .orElseGet(() -> Future.succeededFuture(new Live.Changes(List.of(), changes.cursor()))));
        }

        private Future<Live.Changes> redrawn(Job job, String cursor) {
            return reading.page(job, look, cursor, Saying.NOTHING).map(page -> {
                told = job;
                queued = job.phase() == Job.Phase.QUEUED;
                return new Live.Changes(List.of(new Live.Fragment("jobs/job-live.jte", page)), cursor);
            });
        }
    }

    private Future<Reply> config(Call call) {
        String as = call.query("as").orElse("sent");
        return job(call)
                .compose(job -> jobs.detail(job, null).map(detail -> {
                    String text = switch (as) {
                        case "sent" -> detail.config();
                        case "yaml" -> Protocols.export(detail.spec());
                        case "json" -> Protocols.exportJson(detail.spec());
                        default -> throw Problem.invalid("A config can be had as sent, yaml or json.");
                    };
                    boolean json = as.equals("json")
                            || (as.equals("sent") && text.stripLeading().startsWith("{"));
                    return Reply.bytes(
                                    json ? "application/json" : "application/yaml; charset=utf-8", Buffer.buffer(text))
                            .header(
                                    "Content-Disposition",
                                    "attachment; filename=\"" + job.name() + (json ? ".json" : ".yaml") + "\"");
                }));
    }

    private Future<Reply> stop(Call call) {
        return job(call)
                .compose(job -> jobs.stop(call.caller(), job).map(news -> back(call, job, news, "note.jobOver")));
    }

    private Future<Reply> start(Call call) {
        return job(call)
                .compose(job -> jobs.start(call.caller(), job)
                        .map(news -> back(call, job, news, "note.jobNotStopped"))
                        .recover(failure -> failure instanceof Problem refusal && refusal.status() < 500
                                ? Future.succeededFuture(Reply.seeOther(
                                                Look.of(job.key(), call).path())
                                        .noting(
                                                call,
                                                View.Note.bad("note.jobNotAllowed", job.name(), refusal.message())))
                                : Future.failedFuture(failure)));
    }

    /** To the page that was looked at; with a word where nothing was done. */
    private static Reply back(Call call, Job job, boolean news, String otherwise) {
        Reply reply = Reply.seeOther(Look.of(job.key(), call).path());
        return news ? reply : reply.noting(call, View.Note.bad(otherwise, job.name()));
    }

    /** The same config under a fresh name. Secrets are nobody's to read, so a job that has some is given them anew on the form. */
    private Future<Reply> again(Call call) {
        return job(call).compose(job -> jobs.config(job).compose(config -> again(call, job, config, TRIES)));
    }

    private Future<Reply> again(Call call, Job job, String config, int tries) {
        return freshName(call.caller(), job.name())
                .compose(name -> jobs.submit(call.caller(), Protocols.renamed(config, name), key(call)))
                .compose(submitted -> switch (submitted) {
                    case Submitted.Stored stored ->
                        Future.succeededFuture(Reply.seeOther("/jobs/" + stored.user() + "~" + stored.name())
                                .noting(call, View.Note.good("note.jobAgain", job.name(), stored.name())));
                    case Submitted.NameTaken taken when tries > 1 -> again(call, job, config, tries - 1);
                    case Submitted.NameTaken taken -> onTheForm(job);
                    case Submitted.Refused refused -> onTheForm(job);
                    case Submitted.Barred barred -> onTheForm(job);
                    case Submitted.NoStorage missing -> onTheForm(job);
                    // a second click: the first has made it
                    case Submitted.KeyReused reused ->
                        Future.succeededFuture(
                                Reply.seeOther("/jobs/" + call.caller().name() + "~" + reused.name()));
                });
    }

    private static @Nullable String key(Call call) {
        return call.field("key").filter(key -> key.length() <= 255).orElse(null);
    }

    private static Future<Reply> onTheForm(Job job) {
        return Future.succeededFuture(Reply.seeOther("/jobs/new?clone=" + job.key()));
    }

    /** {@code train_2} after {@code train}, {@code train_8} after {@code train_7}, or the next that is free. */
    private Future<String> freshName(Caller caller, String name) {
        var matcher = NUMBERED.matcher(name);
        boolean numbered = matcher.matches();
        int first = numbered ? Integer.parseInt(matcher.group(2)) + 1 : 2;
        String stem = numbered ? matcher.group(1) : name;
        String base = stem.substring(0, Math.min(stem.length(), LONGEST_NAME - 11));
        List<String> names = IntStream.range(first, first + NAMES_TRIED)
                .mapToObj(number -> base + "_" + number)
                .toList();
        return jobs.taken(caller, names)
                .map(taken -> names.stream()
                        .filter(free -> !taken.contains(free))
                        .findFirst()
                        .orElseGet(names::getLast));
    }

    private Future<Reply> tag(Call call) {
        String tag = call.field("tag").orElse("").strip();
        if (!Jobs.TAG.matcher(tag).matches()) {
            var fault = View.Note.bad(tag.isEmpty() ? "fault.required" : "job.tag.fault");
            return draw(call, new Saying(tag, fault, null)).map(reply -> reply.status(422));
        }
        return job(call).compose(job -> jobs.tag(job, tag).map(added -> seen(call, job)));
    }

    private Future<Reply> untag(Call call) {
        String tag = call.field("tag").orElse("");
        return job(call).compose(job -> jobs.untag(job, tag).map(removed -> seen(call, job)));
    }

    private static Reply seen(Call call, Job job) {
        return Reply.seeOther(Look.of(job.key(), call).path());
    }
}
