package io.sluice.files.centre;

import io.sluice.files.space.Space;
import io.sluice.files.tree.Place;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;

/** The file centre's page. */
final class FilePageRoutes {
    private static final String TEMPLATE = "files/files.jte";
    private static final int ROWS = 200;

    private final Spaces spaces;
    private final Worker worker;

    FilePageRoutes(Spaces spaces, Worker worker) {
        this.spaces = spaces;
        this.worker = worker;
    }

    List<Route> routes() {
        return List.of(Route.get("/files", this::page).withoutApplications());
    }

    private Future<Reply> page(Call call) {
        String user = call.caller().name();
        String name = call.query("in").orElse(user);
        if (call.query("bin").isPresent()) {
            return worker.run(call.caller().id(), () -> {
                spaces.of(call.caller(), name);
                return Reply.page(
                        TEMPLATE,
                        FilePage.bin(user, name, spaces.held(call.caller())).with(spaces.usage(call.caller())));
            });
        }
        Place asked = Asked.place(call, "path");
        return worker.run(call.caller().id(), () -> {
            Space space = spaces.of(call.caller(), name);
            // the way to a file leads to the folder that it is in
            Place place = space.entry(asked).found().isFolder() ? asked : asked.above();
            Space.Page page = space.list(place, call.queryBytes("after").orElse(null), ROWS);
            return Reply.page(
                    TEMPLATE,
                    FilePage.of(user, name, place, page, spaces.held(call.caller()))
                            .with(spaces.usage(call.caller())));
        });
    }
}
