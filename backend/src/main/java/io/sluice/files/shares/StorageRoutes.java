package io.sluice.files.shares;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Shares as OpenPAI's clients know them: storages, of which jobs have those that they name, and some by default. */
final class StorageRoutes {
    private final Shares shares;

    StorageRoutes(Shares shares) {
        this.shares = shares;
    }

    List<Route> routes() {
        return Stream.of(
                        Route.get("/api/v2/storages", this::storages),
                        Route.get("/api/v2/storages/:storage", this::storage))
                .map(route -> route.scope("jobs:read"))
                .toList();
    }

    private Future<Reply> storages(Call call) {
        boolean usual = call.query("default").map("true"::equals).orElse(false);
        return shares.of(call.caller().id())
                .map(held -> Reply.json(Map.of(
                        "storages",
                        held.stream()
                                .filter(one -> !usual || one.share().everywhere())
                                .map(one -> Map.of(
                                        "name",
                                        one.share().name(),
                                        "share",
                                        true,
                                        "volumeName",
                                        one.share().name(),
                                        "default",
                                        one.share().everywhere()))
                                .toList())));
    }

    private Future<Reply> storage(Call call) {
        String name = call.path("storage");
        return shares.of(call.caller().id())
                .map(held -> held.stream()
                        .filter(one -> one.share().name().equals(name))
                        .findFirst()
                        .map(one -> Reply.json(shown(one)))
                        .orElseThrow(() -> Problem.of(
                                Problem.Kind.NOT_FOUND, "NoStorageError", "Storage " + name + " is not found.")));
    }

    private static Map<String, Object> shown(Held held) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", held.share().name());
        shown.put("share", true);
        shown.put("volumeName", held.share().name());
        // a folder of the gateway's machine, as tasks have it; whatever the disk is, no key of it is told
        shown.put("type", "other");
        shown.put("data", Map.of("mountPath", held.share().mount()));
        shown.put("readOnly", !held.writable());
        shown.put("secretName", "");
        shown.put("mountOptions", List.of());
        return shown;
    }
}
