package io.sluice.jobs.saving;

import io.sluice.engines.Engine.Kept;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.jobs.Job;
import io.sluice.jobs.saving.Savings.Wish;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** To save a task as an image, for programs and by the job's page. */
final class SavingRoutes {
    private static final String TASK = "/api/v2/jobs/:job/attempts/:attempt/taskRoles/:role/taskIndex/:index/image";

    private final Savings savings;

    SavingRoutes(Savings savings) {
        this.savings = savings;
    }

    List<Route> routes() {
        return List.of(
                Route.post(TASK, this::save).scope("jobs:write"),
                Route.post("/jobs/:job/image", this::saveFromPage).withoutApplications());
    }

    private Future<Reply> save(Call call) {
        return savings.job(call.caller(), call.path("job")).compose(job -> {
            var wish = new Wish(
                    job.id(),
                    number(call.path("attempt"), "attempt"),
                    call.path("role"),
                    number(call.path("index"), "index"),
                    call.input().path("name").asText(""));
            return savings.save(call.caller(), job, wish)
                    .recover(SavingRoutes::away)
                    .map(SavingRoutes::shown);
        });
    }

    private static Reply shown(Optional<Kept> kept) {
        return kept.map(image -> Reply.json(
                        Map.of("state", "SAVED", "image", image.image(), "id", image.id(), "bytes", image.bytes())))
                .orElseGet(() -> Reply.json(Map.of("state", "SAVING")).status(202));
    }

    static <T> Future<T> away(Throwable failure) {
        return Future.failedFuture(
                failure instanceof Unavailable
                        ? Problem.unavailable(String.valueOf(failure.getMessage()), failure, Savings.AGAIN)
                        : failure);
    }

    private static int number(String text, String what) {
        if (!text.matches("\\d{1,6}")) {
            throw Problem.invalid(what + " is a number from 0.");
        }
        return Integer.parseInt(text);
    }

    /** With the fields {@code task}, as role/index, and {@code name}. */
    private Future<Reply> saveFromPage(Call call) {
        return savings.job(call.caller(), call.path("job")).compose(job -> {
            var task = call.field("task").orElse("");
            int slash = task.lastIndexOf('/');
            var wish = new Wish(
                    job.id(),
                    job.attempt(),
                    slash < 0 ? task : task.substring(0, slash),
                    slash < 0 ? 0 : number(task.substring(slash + 1), "task"),
                    call.field("name").orElse("").strip());
            return savings.save(call.caller(), job, wish)
                    .recover(SavingRoutes::away)
                    .map(kept -> kept.map(image -> Note.good("note.image.saved", image.image()))
                            .orElseGet(() -> Note.good("note.image.saving", wish.image())))
                    .recover(SavingRoutes::noted)
                    .map(note -> back(job).noting(call, note));
        });
    }

    private static Reply back(Job job) {
        return Reply.seeOther("/jobs/" + job.key());
    }

    private static Future<Note> noted(Throwable failure) {
        if (!(failure instanceof Problem problem)) {
            return Future.failedFuture(failure);
        }
        return Future.succeededFuture(Note.bad(
                switch (problem.kind()) {
                    case INVALID -> "note.image.name";
                    case TOO_MANY -> "note.image.busy";
                    case FULL -> "note.image.full";
                    case NOT_FOUND -> "note.image.gone";
                    case UNAVAILABLE -> "note.image.away";
                    default ->
                        problem.code().equals("TooManyImagesError") ? "note.image.tooMany" : "note.image.impossible";
                }));
    }
}
