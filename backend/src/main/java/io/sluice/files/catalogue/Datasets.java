package io.sluice.files.catalogue;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.files.Files;
import io.sluice.files.shares.Held;
import io.sluice.identity.Identity;
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
public final class Datasets {
    private static final String TAKEN = "files_datasets_name";

    private final DatasetStore store;
    private final Files files;
    private final Grants grants;
    private final Counting counting;

    private Datasets(Vertx vertx, Database database, Files files, Grants grants, CollectorRegistry registry) {
        this.store = new DatasetStore(database);
        this.files = files;
        this.grants = grants;
        this.counting = new Counting(vertx, files, store, registry);
    }

    public static Datasets open(
            Vertx vertx, Database database, Files files, Grants grants, CollectorRegistry registry) {
        return new Datasets(vertx, database, files, grants, registry);
    }

    public List<Route> routes() {
        return Stream.concat(new DatasetRoutes(this).routes().stream(), new DatasetPageRoutes(this).routes().stream())
                .toList();
    }

    public Future<CatalogueQuery.Found<Dataset>> page(Caller caller, CatalogueQuery query) {
        return store.page(caller, query, CatalogueQuery.PAGE + 1)
                .compose(read -> store.waiting(caller).map(waiting -> CatalogueQuery.Found.of(read, waiting)));
    }

    /** Those that a job of the caller's can take, as far as a list to choose from goes. */
    public Future<List<Dataset>> offered(Caller caller, CatalogueQuery query, int most) {
        return store.page(caller, query, most);
    }

    public Future<Dataset> find(Caller caller, long id) {
        return store.find(caller, id).map(found -> found.orElseThrow(() -> none("" + id)));
    }

    public static Problem none(String id) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoDatasetError", "Dataset " + id + " is not found.");
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

    /** All that keeps this from being an entry of the caller's. */
    Future<List<Wrong>> wrong(Caller caller, Dataset.Content content) {
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

    /** What an administrator brings is accepted, what others bring is proposed. */
    Future<Dataset> add(Caller caller, Dataset.Content content) {
        return wrong(caller, content).compose(wrong -> {
            Wrong.refuse(wrong);
            return store.waiting(caller)
                    .compose(waiting -> {
                        Standing.refuse(caller, waiting);
                        return store.add(caller, content.kept(), Standing.State.of(caller));
                    })
                    .recover(e -> taken(e, content.name()))
                    .onSuccess(added -> changed(caller, added.id(), "added"));
        });
    }

    /** A proposal that is changed is proposed anew. */
    Future<Dataset> change(Caller caller, long id, Dataset.Content content) {
        return changeable(caller, id)
                .compose(old -> wrong(caller, content).compose(wrong -> {
                    Wrong.refuse(wrong);
                    var state = caller.admin() ? old.standing().state() : Standing.State.PROPOSED;
                    return store.change(old, content.kept(), state)
                            .recover(e -> taken(e, content.name()))
                            .map(changed -> changed.orElseThrow(Standing::meanwhile))
                            .onSuccess(changed -> changed(caller, id, "changed"));
                }));
    }

    private Future<Dataset> changeable(Caller caller, long id) {
        return find(caller, id).map(found -> {
            found.standing().refuse(caller);
            return found;
        });
    }

    private static <T> Future<T> taken(Throwable failure, String name) {
        return Future.failedFuture(
                Database.isConflict(failure, TAKEN)
                        ? Problem.of(
                                Problem.Kind.CONFLICT,
                                "ConflictDatasetError",
                                "There is a dataset called " + name
                                        + " already. Choose another name, or change that one.")
                        : failure);
    }

    /** The administrator's word on it, which may be another than before. */
    Future<Dataset> answer(Caller admin, long id, Standing.Word word) {
        word.refuse();
        return find(admin, id)
                .compose(found -> store.answer(id, word).recover(e -> taken(e, found.name())))
                .map(answered -> answered.orElseThrow(Standing::meanwhile))
                .onSuccess(answered -> changed(admin, id, word.state().key()));
    }

    /** Out of the catalogue; what lies there stays where it is. */
    Future<Dataset> remove(Caller caller, long id) {
        return changeable(caller, id)
                .compose(old -> store.remove(old).map(removed -> {
                    if (!removed) {
                        throw Standing.meanwhile();
                    }
                    changed(caller, id, "removed");
                    return old;
                }));
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

    private void changed(Caller caller, long id, String what) {
        Identity.audit("dataset-" + what, "dataset", "" + id, "by", caller.name());
        counting.ring();
    }

    public Future<Void> close() {
        return counting.close();
    }
}
