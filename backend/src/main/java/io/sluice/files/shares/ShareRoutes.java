package io.sluice.files.shares;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What is shared with whom, as administrators set it: on a page and over the API. */
final class ShareRoutes {
    private static final String API = "/api/v2/shares";
    private static final String PAGE = "/files/shares";

    private final Shares shares;

    ShareRoutes(Shares shares) {
        this.shares = shares;
    }

    List<Route> routes() {
        var api = Stream.of(
                        Route.get(API, this::list),
                        Route.put(API + "/:share", this::put),
                        Route.delete(API + "/:share", this::remove))
                .map(Route::forAdmins);
        var page = Stream.of(
                        Route.get(PAGE, this::page),
                        Route.post(PAGE, this::change),
                        Route.post(PAGE + "/:share/remove", this::removeFromPage))
                .map(Route::forAdmins);
        return Stream.concat(api, page).map(Route::withoutApplications).toList();
    }

    private Future<Reply> list(Call call) {
        return shares.all()
                .map(all -> Reply.json(
                        Map.of("shares", all.stream().map(ShareRoutes::shown).toList())));
    }

    private static Map<String, Object> shown(Share share) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", share.name());
        shown.put("description", share.description());
        shown.put("mount", share.mount());
        shown.put("readers", share.readers());
        shown.put("writers", share.writers());
        shown.put("everywhere", share.everywhere());
        return shown;
    }

    private Future<Reply> put(Call call) {
        ObjectNode body = call.input();
        var share = new Share(
                call.path("share"),
                body.path("description").asText(""),
                names(body, "readers"),
                names(body, "writers"),
                body.path("everywhere").asBoolean(false));
        return shares.put(call.caller(), share).map(put -> Reply.json(shown(share)));
    }

    private static List<String> names(ObjectNode body, String key) {
        if (!body.hasNonNull(key)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (JsonNode name : body.get(key)) {
            if (!name.isTextual()) {
                throw Problem.invalid(key + " is a list of names of groups, as [\"default\"].");
            }
            names.add(name.asText());
        }
        return names;
    }

    private Future<Reply> remove(Call call) {
        return shares.remove(call.caller(), call.path("share")).map(removed -> Reply.nothing());
    }

    private Future<Reply> page(Call call) {
        return shares.all().map(all -> Reply.page(call, "files/shares.jte", new SharePage(all, call.note())));
    }

    private Future<Reply> change(Call call) {
        var share = new Share(
                line(call, "name"),
                line(call, "description"),
                names(line(call, "readers")),
                names(line(call, "writers")),
                call.field("everywhere").isPresent());
        try {
            return shares.put(call.caller(), share)
                    .map(put -> said(call, Note.good("note.share.kept", share.name())))
                    .recover(fault -> fault instanceof Problem problem && problem.kind() == Problem.Kind.UNPROCESSABLE
                            ? Future.succeededFuture(said(call, Note.bad("note.share.groups")))
                            : Future.failedFuture(fault));
        } catch (Problem invalid) {
            return Future.succeededFuture(said(call, Note.bad("note.share.name")));
        }
    }

    private static Reply said(Call call, Note note) {
        return Reply.seeOther(PAGE).noting(call, note);
    }

    private static String line(Call call, String field) {
        return call.field(field).orElse("").replaceAll("\\p{Cntrl}", " ").strip();
    }

    private static List<String> names(String line) {
        return Arrays.stream(line.split("[,\\s]+"))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    private Future<Reply> removeFromPage(Call call) {
        String name = call.path("share");
        return shares.remove(call.caller(), name).map(removed -> said(call, Note.good("note.share.removed", name)));
    }
}
