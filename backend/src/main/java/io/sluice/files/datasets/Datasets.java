package io.sluice.files.datasets;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.files.Files;
import io.sluice.files.catalogue.Catalogue;
import io.sluice.files.catalogue.Wrong;
import io.sluice.files.shares.Held;
import io.sluice.identity.grants.Grants;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to the catalogue of datasets. What a caller may not see does not exist. */
public final class Datasets extends Catalogue<Dataset, Dataset.Content> {
    private static final Kind KIND = new Kind("dataset", "a dataset", "Dataset", "files_datasets_name", Origin.KINDS);

    private final DatasetStore store;
    private final Files files;
    private final Grants grants;
    private final Counting counting;

    private Datasets(Vertx vertx, DatasetStore store, Files files, Grants grants, CollectorRegistry registry) {
        super(store, KIND);
        this.store = store;
        this.files = files;
        this.grants = grants;
        this.counting = new Counting(vertx, files, store, registry);
    }

    public static Datasets open(
            Vertx vertx, Database database, Files files, Grants grants, CollectorRegistry registry) {
        return new Datasets(vertx, new DatasetStore(database), files, grants, registry);
    }

    public List<Route> routes() {
        return Stream.concat(new DatasetRoutes(this).routes().stream(), new DatasetPageRoutes(this).routes().stream())
                .toList();
    }

    public static Problem none(String id) {
        return KIND.none(id);
    }

    /** The share that a dataset lies in, as somebody has it. */
    public Future<@Nullable Held> held(Caller caller, Dataset dataset) {
        return files.shares(caller.id())
                .map(all -> all.stream()
                        .filter(one ->
                                one.share().name().equals(dataset.origin().share()))
                        .findFirst()
                        .orElse(null));
    }

    /** What is shared with somebody. */
    public Future<List<Held>> shares(Caller caller) {
        return files.shares(caller.id());
    }

    @Override
    public Future<List<Wrong>> wrong(Caller caller, Dataset.Content content) {
        List<Wrong> all = new ArrayList<>(content.wrong());
        if (!all.isEmpty()) {
            return Future.succeededFuture(all);
        }
        var unknown = grants.unknown(new Grants.Holders(List.of(), content.readers()));
        var shares = caller.admin()
                ? files.allShares()
                : files.shares(caller.id())
                        .map(held -> held.stream().map(one -> one.share()).toList());
        return Future.all(unknown, shares).map(read -> {
            Origin origin = content.origin();
            List<String> groups = unknown.result().groups().stream()
                    .filter(group -> !group.equals(Grants.EVERYBODY))
                    .toList();
            if (!groups.isEmpty()) {
                all.add(new Wrong(
                        "readers",
                        "datasets.fault.groups",
                        "readers: there is no group called " + String.join(", ", groups) + "."));
            }
            if (origin.isFolder()
                    && shares.result().stream().noneMatch(share -> share.name().equals(origin.share()))) {
                all.add(new Wrong(
                        "path",
                        "datasets.fault.share",
                        "path: there is no share called " + origin.share() + " that you may see."));
            }
            return all;
        });
    }

    Future<Void> count(Caller admin, long id) {
        return find(admin, id).compose(found -> {
            if (!found.origin().isFolder()) {
                throw Problem.of(
                        Problem.Kind.CONFLICT,
                        "Only what lies in a share is counted here. Write its size down instead.");
            }
            return store.doubt(id).onSuccess(due -> counting.ring());
        });
    }

    @Override
    protected Dataset.Content kept(Dataset.Content content) {
        return content.kept();
    }

    @Override
    protected String nameOf(Dataset.Content content) {
        return content.name();
    }

    @Override
    protected void touched() {
        counting.ring();
    }

    public Future<Void> close() {
        return counting.close();
    }
}
