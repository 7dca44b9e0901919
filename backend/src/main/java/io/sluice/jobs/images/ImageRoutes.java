package io.sluice.jobs.images;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.Typed;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The catalogue of images for programs. */
final class ImageRoutes {
    private static final String ALL = "/api/v2/images";
    private static final String ONE = ALL + "/:image";

    private final Images images;

    ImageRoutes(Images images) {
        this.images = images;
    }

    List<Route> routes() {
        var reading =
                Stream.of(Route.get(ALL, this::list), Route.get(ONE, this::one)).map(route -> route.scope("jobs:read"));
        var writing = Stream.of(
                        Route.post(ALL, this::add), Route.put(ONE, this::change), Route.delete(ONE, this::remove))
                .map(route -> route.scope("jobs:write"));
        var keeping = Stream.of(Route.post(ONE + "/answer", this::answer))
                .map(route -> route.forAdmins().withoutApplications());
        return Stream.of(reading, writing, keeping).flatMap(all -> all).toList();
    }

    static long id(Call call) {
        String id = call.path("image");
        if (!id.matches("\\d{1,18}")) {
            throw Images.none(id);
        }
        return Long.parseLong(id);
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, ALL, DeviceKind.KEYS);
        return images.page(call.caller(), query).map(found -> {
            Map<String, Object> page = new LinkedHashMap<>();
            page.put("images", found.entries().stream().map(ImageRoutes::shown).toList());
            page.put(
                    "next",
                    found.more()
                            ? query.from(query.from() + CatalogueQuery.PAGE).link()
                            : null);
            return Reply.json(page);
        });
    }

    private static Map<String, Object> shown(Image image) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Image.Content content = image.content();
        shown.put("id", image.id());
        shown.put("name", content.name());
        shown.put("description", content.description());
        shown.put("repository", content.repository());
        shown.put("tags", content.tags());
        shown.put("framework", content.framework());
        shown.put("device", content.device().key());
        shown.putAll(image.standing().shown());
        return shown;
    }

    private Future<Reply> one(Call call) {
        return images.find(call.caller(), id(call)).map(found -> Reply.json(shown(found)));
    }

    private Future<Reply> add(Call call) {
        return images.add(call.caller(), content(call.input(), Image.Content.EMPTY))
                .map(added -> Reply.json(shown(added)).status(201));
    }

    /** What is not said stays as it is. */
    private Future<Reply> change(Call call) {
        return images.find(call.caller(), id(call))
                .compose(old -> images.change(call.caller(), old.id(), content(call.input(), old.content())))
                .map(changed -> Reply.json(shown(changed)));
    }

    private static Image.Content content(ObjectNode body, Image.Content otherwise) {
        String device = Typed.text(body, "device", otherwise.device().key());
        return new Image.Content(
                Typed.text(body, "name", otherwise.name()).strip(),
                Typed.text(body, "description", otherwise.description()),
                Typed.text(body, "repository", otherwise.repository()),
                Typed.texts(body, "tags", otherwise.tags()),
                Typed.text(body, "framework", otherwise.framework()).strip(),
                DeviceKind.of(device)
                        .orElseThrow(() -> Problem.invalid(
                                "device is one of " + String.join(", ", DeviceKind.KEYS) + ", not " + device + ".")));
    }

    private Future<Reply> remove(Call call) {
        return images.remove(call.caller(), id(call)).map(removed -> Reply.nothing());
    }

    private Future<Reply> answer(Call call) {
        return images.answer(call.caller(), id(call), Typed.word(call.input()))
                .map(answered -> Reply.json(shown(answered)));
    }
}
