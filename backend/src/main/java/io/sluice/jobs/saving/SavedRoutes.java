package io.sluice.jobs.saving;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** What was saved of tasks, for programs and for people. */
final class SavedRoutes {
    private static final String ALL = "/api/v2/saved-images";
    private static final String PAGE = "/images/saved";

    private final Savings savings;

    SavedRoutes(Savings savings) {
        this.savings = savings;
    }

    List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).scope("jobs:read"),
                Route.delete(ALL + "/:owner/:saved", this::drop).scope("jobs:write"),
                Route.get(PAGE, this::page).withoutApplications(),
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
                .map(all -> Reply.page(
                        call,
                        "jobs/saved-images.jte",
                        new SavedPage(all, savings.isPossible(), call.caller(), call.note())));
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
