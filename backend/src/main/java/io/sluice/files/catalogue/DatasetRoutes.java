package io.sluice.files.catalogue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalogue of datasets for programs. */
final class DatasetRoutes {
    private static final String ALL = "/api/v2/datasets";
    private static final String ONE = ALL + "/:dataset";

    private final Datasets datasets;

    DatasetRoutes(Datasets datasets) {
        this.datasets = datasets;
    }

    List<Route> routes() {
        var reading = Stream.of(Route.get(ALL, this::list), Route.get(ONE, this::one))
                .map(route -> route.scope("files:read"));
        var writing = Stream.of(
                        Route.post(ALL, this::add), Route.put(ONE, this::change), Route.delete(ONE, this::remove))
                .map(route -> route.scope("files:write"));
        var keeping = Stream.of(Route.post(ONE + "/answer", this::answer), Route.post(ONE + "/count", this::count))
                .map(route -> route.forAdmins().withoutApplications());
        return Stream.of(reading, writing, keeping).flatMap(all -> all).toList();
    }

    static long id(Call call) {
        String id = call.path("dataset");
        if (!id.matches("\\d{1,18}")) {
            throw Datasets.none(id);
        }
        return Long.parseLong(id);
    }

    private Future<Reply> list(Call call) {
        var query = CatalogueQuery.of(call, ALL, Origin.KINDS);
        return datasets.page(call.caller(), query).map(found -> {
            Map<String, Object> page = new LinkedHashMap<>();
            page.put(
                    "datasets",
                    found.entries().stream().map(DatasetRoutes::shown).toList());
            page.put(
                    "next",
                    found.more()
                            ? query.from(query.from() + CatalogueQuery.PAGE).link()
                            : null);
            return Reply.json(page);
        });
    }

    private static Map<String, Object> shown(Dataset dataset) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Instant counted = dataset.counted();
        Origin origin = dataset.origin();
        shown.put("id", dataset.id());
        shown.put("name", dataset.name());
        shown.put("description", dataset.content().description());
        shown.put("path", origin.path());
        shown.put("share", origin.isFolder() ? origin.share() : null);
        shown.put("readers", dataset.content().readers());
        shown.put("bytes", dataset.bytes());
        shown.put("files", dataset.files());
        shown.put("counted", counted == null ? null : counted.toEpochMilli());
        shown.put("fault", dataset.fault().isEmpty() ? null : dataset.fault());
        shown.put("input", origin.isFolder() ? null : Map.of("name", dataset.input(), "from", origin.path()));
        shown.putAll(dataset.standing().shown());
        return shown;
    }

    private Future<Reply> one(Call call) {
        return datasets.find(call.caller(), id(call)).map(found -> Reply.json(shown(found)));
    }

    private Future<Reply> add(Call call) {
        return datasets.add(call.caller(), content(call.input(), Dataset.Content.EMPTY))
                .map(added -> Reply.json(shown(added)).status(201));
    }

    /** What is not said stays as it is. */
    private Future<Reply> change(Call call) {
        return datasets.find(call.caller(), id(call))
                .compose(old -> datasets.change(call.caller(), old.id(), content(call.input(), old.content())))
                .map(changed -> Reply.json(shown(changed)));
    }

    private static Dataset.Content content(ObjectNode body, Dataset.Content otherwise) {
        return new Dataset.Content(
                Typed.text(body, "name", otherwise.name()).strip(),
                Typed.text(body, "description", otherwise.description()),
                Typed.text(body, "path", otherwise.path()),
                Typed.texts(body, "readers", otherwise.readers()),
                body.has("bytes") ? bytes(body.get("bytes")) : otherwise.told());
    }

    private static @Nullable Long bytes(JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw Problem.invalid("bytes is a whole number, or null where nobody knows it.");
        }
        return value.asLong();
    }

    private Future<Reply> remove(Call call) {
        return datasets.remove(call.caller(), id(call)).map(removed -> Reply.nothing());
    }

    private Future<Reply> answer(Call call) {
        return datasets.answer(call.caller(), id(call), Typed.word(call.input()))
                .map(answered -> Reply.json(shown(answered)));
    }

    private Future<Reply> count(Call call) {
        return datasets.count(call.caller(), id(call))
                .map(begun -> Reply.message(202, "The dataset is being counted."));
    }
}
