package io.sluice.jobs.stores;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.files.stores.AccessKey;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The access keys of who asks, on a page and over the API. A secret goes in, and never out. */
final class StoreRoutes {
    private static final String API = "/api/v2/stores";
    private static final String PAGE = "/profile/stores";

    private final StoreKeys keys;

    StoreRoutes(StoreKeys keys) {
        this.keys = keys;
    }

    List<Route> routes() {
        return List.of(
                Route.get(API, this::list).scope("jobs:read"),
                Route.put(API + "/:store/key", this::put).withoutApplications(),
                Route.delete(API + "/:store/key", this::remove).withoutApplications(),
                Route.get(PAGE, this::page).withoutApplications(),
                Route.post(PAGE + "/:store", this::change).withoutApplications(),
                Route.post(PAGE + "/:store/remove", this::removeFromPage).withoutApplications());
    }

    private Future<List<StorePage.Row>> rows(Call call) {
        return keys.of(call.caller())
                .map(kept -> keys.stores().all().stream()
                        .map(store -> new StorePage.Row(
                                store,
                                kept.stream()
                                        .filter(one -> one.store().equals(store.name()))
                                        .findFirst()
                                        .orElse(null)))
                        .toList());
    }

    private Future<Reply> list(Call call) {
        return rows(call)
                .map(rows -> Reply.json(
                        Map.of("stores", rows.stream().map(StoreRoutes::shown).toList())));
    }

    private static Map<String, Object> shown(StorePage.Row row) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", row.store().name());
        shown.put("endpoint", row.store().endpoint().toString());
        shown.put("region", row.store().region());
        StoreKeys.Kept key = row.key();
        if (key != null) {
            shown.put("accessKey", key.id());
            shown.put("changed", key.changed().toEpochMilli());
        }
        return shown;
    }

    private Future<Reply> put(Call call) {
        ObjectNode body = call.input();
        if (!body.path("accessKey").isTextual() || !body.path("secretKey").isTextual()) {
            throw Problem.invalid("Send {\"accessKey\": …, \"secretKey\": …}.");
        }
        var key = new AccessKey(
                body.path("accessKey").asText(), body.path("secretKey").asText());
        return keys.put(call.caller(), call.path("store"), key).map(put -> Reply.nothing());
    }

    private Future<Reply> remove(Call call) {
        return removed(call).map(removed -> Reply.nothing());
    }

    private Future<Void> removed(Call call) {
        String store = call.path("store");
        return keys.remove(call.caller(), store).map(removed -> {
            if (!removed) {
                throw Problem.notFound("You have left no access key for store " + store + " here.");
            }
            return null;
        });
    }

    private Future<Reply> page(Call call) {
        return rows(call).map(rows -> Reply.page(call, "jobs/stores.jte", new StorePage(rows, call.note())));
    }

    private Future<Reply> change(Call call) {
        String store = call.path("store");
        var key = new AccessKey(
                call.field("accessKey").orElse("").strip(),
                call.field("secretKey").orElse("").strip());
        return keys.put(call.caller(), store, key)
                .map(put -> said(call, Note.good("note.store.kept", store)))
                .recover(fault -> fault instanceof Problem problem && problem.kind() == Problem.Kind.INVALID
                        ? Future.succeededFuture(said(call, Note.bad("note.store.unfit")))
                        : Future.failedFuture(fault));
    }

    private Future<Reply> removeFromPage(Call call) {
        return removed(call).map(removed -> said(call, Note.good("note.store.removed", call.path("store"))));
    }

    private static Reply said(Call call, Note note) {
        return Reply.seeOther(PAGE).noting(call, note);
    }
}
