package io.sluice.jobs.saving;

import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was saved of tasks, for programs and for people. */
final class SavedRoutes {
    private static final String ALL = "/api/v2/saved-images";
    private static final String PAGE = "/images/saved";

    private final Savings savings;
    private final Live live;

    SavedRoutes(Savings savings, Live live) {
        this.savings = savings;
        this.live = live;
    }

    List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).scope("jobs:read"),
                Route.delete(ALL + "/:owner/:saved", this::drop).scope("jobs:write"),
                Route.get(PAGE, this::page).withoutApplications(),
                Route.get("/live" + PAGE, this::follow).withoutApplications(),
                Route.post(PAGE + "/:owner/:saved/remove", this::dropFromPage).withoutApplications());
    }

    private Future<Reply> list(Call call) {
        return savings.saved(call.caller())
                .recover(SavingRoutes::away)
                .map(all -> Reply.json(
                        Map.of("images", all.stream().map(SavedImage::shown).toList())));
    }

    private Future<Reply> drop(Call call) {
        return dropped(call).map(dropped -> Reply.nothing());
    }

    private Future<Void> dropped(Call call) {
        boolean failed = call.query("failed").filter("true"::equals).isPresent();
        return savings.drop(call.caller(), call.path("owner"), call.path("saved"), failed)
                .recover(SavingRoutes::away);
    }

    private Future<Reply> page(Call call) {
        return savings.saved(call.caller())
                .recover(SavingRoutes::away)
                .map(all -> page(all, call.caller(), call.note()))
                .map(page -> Reply.page(call, "jobs/saved-images.jte", page));
    }

    private SavedPage page(List<SavedImage> all, Caller caller, @Nullable Note note) {
        return new SavedPage(all, savings.isPossible(), caller, note);
    }

    private Future<Reply> follow(Call call) {
        return Future.succeededFuture(live.follow(
                call,
                Savings.TOPIC,
                (caller, cursor) -> savings.followed(caller)
                        .map(all -> page(all, caller, null))
                        .map(page -> new Live.Changes(
                                page.cursor().equals(cursor)
                                        ? List.of()
                                        : List.of(new Live.Fragment("jobs/saved-live.jte", page)),
                                page.cursor()))));
    }

    private Future<Reply> dropFromPage(Call call) {
        var name = call.path("saved");
        return dropped(call)
                .map(dropped -> Note.good("note.saved.deleted", name))
                .recover(failure -> failure instanceof Problem problem && problem.kind() == Problem.Kind.CONFLICT
                        ? Future.succeededFuture(Note.bad("note.saved.used", name))
                        : failure instanceof Problem problem && problem.kind() == Problem.Kind.TOO_MANY
                                ? Future.succeededFuture(Note.bad("note.saved.going", name))
                                : Future.failedFuture(failure))
                .map(note -> Reply.seeOther(PAGE).noting(call, note));
    }
}
