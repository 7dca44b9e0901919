package io.sluice.endpoints;

import io.sluice.endpoints.recipes.Recipes;
import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What others share with somebody: a part of their home page, and a list for programs. */
final class SharedRoutes {
    private final Sharing sharing;
    private final Recipes recipes;
    private final Live live;

    SharedRoutes(Sharing sharing, Recipes recipes, Live live) {
        this.sharing = sharing;
        this.recipes = recipes;
        this.live = live;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/endpoints/shared", this::panel).withoutApplications(),
                Route.get("/live/endpoints/shared", this::follow).withoutApplications(),
                Route.get("/api/v2/endpoints/shared", this::list).scope("jobs:read"));
    }

    private Future<Reply> panel(Call call) {
        return page(call.caller()).map(page -> Reply.page("endpoints/shared.jte", page));
    }

    private Future<Reply> follow(Call call) {
        return Future.succeededFuture(live.follow(call, Endpoints.TOPIC, this::since));
    }

    private Future<Live.Changes> since(Caller caller, @Nullable String cursor) {
        return page(caller)
                .map(page -> page.cursor().equals(cursor)
                        ? new Live.Changes(List.of(), page.cursor())
                        : new Live.Changes(
                                List.of(new Live.Fragment("endpoints/shared-live.jte", page)), page.cursor()));
    }

    private Future<EndpointPanel.Shared> page(Caller caller) {
        return sharing.to(caller).map(all -> EndpointPanel.Shared.of(all, recipes));
    }

    private Future<Reply> list(Call call) {
        return sharing.to(call.caller())
                .map(all -> Reply.json(all.stream().map(SharedRoutes::json).toList()));
    }

    private static Map<String, @Nullable Object> json(Endpoint endpoint) {
        var json = new LinkedHashMap<String, @Nullable Object>();
        json.put("user", endpoint.user());
        json.put("job", endpoint.jobName());
        json.put("name", endpoint.name());
        json.put("recipe", endpoint.recipe());
        json.put("state", endpoint.state().key());
        json.put("page", "/endpoints/" + endpoint.id());
        json.put("since", endpoint.since().toString());
        return json;
    }
}
