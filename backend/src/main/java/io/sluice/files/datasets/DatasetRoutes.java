package io.sluice.files.datasets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.files.catalogue.EntryRoutes;
import io.sluice.files.catalogue.Typed;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The catalogue of datasets for programs. */
final class DatasetRoutes extends EntryRoutes<Dataset, Dataset.Content> {
    private final Datasets datasets;

    DatasetRoutes(Datasets datasets) {
        super(datasets, Dataset.Content.EMPTY, "files");
        this.datasets = datasets;
    }

    @Override
    protected Stream<Route> more(String one) {
        return Stream.of(Route.post(one + "/count", this::count));
    }

    @Override
    protected Map<String, Object> shown(Dataset dataset) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Instant counted = dataset.counted();
        Origin origin = dataset.origin();
        shown.put("description", dataset.content().description());
        shown.put("path", origin.path());
        shown.put("share", origin.isFolder() ? origin.share() : null);
        shown.put("readers", dataset.content().readers());
        shown.put("bytes", dataset.bytes());
        shown.put("files", dataset.files());
        shown.put("counted", counted == null ? null : counted.toEpochMilli());
        shown.put("fault", dataset.fault().isEmpty() ? null : dataset.fault());
        shown.put("input", origin.isFolder() ? null : Map.of("name", dataset.input(), "from", origin.path()));
        return shown;
    }

    @Override
    protected Dataset.Content content(ObjectNode body, Dataset.Content otherwise) {
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

    private Future<Reply> count(Call call) {
        return found(call)
                .compose(found -> datasets.count(call.caller(), found.id()))
                .map(begun -> Reply.message(202, "The dataset is being counted."));
    }
}
