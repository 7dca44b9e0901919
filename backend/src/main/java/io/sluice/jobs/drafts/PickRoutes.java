package io.sluice.jobs.drafts;

import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.datasets.Dataset;
import io.sluice.files.shares.Held;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;

/** What the form of a new job offers of the catalogues, when somebody wants to see it. */
final class PickRoutes {
    private static final String ACCEPTED = "accepted";

    private final Catalogues catalogues;

    PickRoutes(Catalogues catalogues) {
        this.catalogues = catalogues;
    }

    List<Route> routes() {
        return Stream.of(Route.get("/jobs/new/images", this::images), Route.get("/jobs/new/datasets", this::datasets))
                .map(Route::withoutApplications)
                .toList();
    }

    private static CatalogueQuery asked(Call call) {
        var query = CatalogueQuery.of(call, "", List.of());
        return new CatalogueQuery("", query.search(), ACCEPTED, "", 0);
    }

    private Future<Reply> images(Call call) {
        var query = asked(call);
        return catalogues.images().offered(call.caller(), query, Picks.MOST + 1).map(found -> {
            boolean more = found.size() > Picks.MOST;
            return Reply.page(
                    "jobs/pick-images.jte",
                    new Picks.Images(more ? found.subList(0, Picks.MOST) : found, query.search(), more));
        });
    }

    private Future<Reply> datasets(Call call) {
        var query = asked(call);
        var found = catalogues.datasets().offered(call.caller(), query, Picks.MOST + 1);
        var shares = catalogues.datasets().shares(call.caller());
        return Future.all(found, shares).map(read -> {
            boolean more = found.result().size() > Picks.MOST;
            var rows = found.result().stream()
                    .limit(Picks.MOST)
                    .map(dataset -> row(dataset, shares.result()))
                    .toList();
            return Reply.page("jobs/pick-datasets.jte", new Picks.Datasets(rows, query.search(), more));
        });
    }

    private static Picks.Row row(Dataset dataset, List<Held> shares) {
        if (!dataset.origin().isFolder()) {
            return new Picks.Row(dataset, null, false);
        }
        String share = dataset.origin().share();
        return shares.stream()
                .filter(held -> held.share().name().equals(share))
                .findFirst()
                .map(held -> new Picks.Row(dataset, held.share().everywhere() ? null : share, false))
                .orElseGet(() -> new Picks.Row(dataset, null, true));
    }
}
