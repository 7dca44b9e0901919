package io.sluice.jobs.images;

import io.sluice.database.Database;
import io.sluice.engines.Engine.Kept;
import io.sluice.files.catalogue.CatalogueQuery;
import io.sluice.files.catalogue.Standing;
import io.sluice.files.catalogue.Wrong;
import io.sluice.identity.Identity;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;

/** The door to the catalogue of images. What a caller may not see does not exist. */
public final class Images {
    private static final String TAKEN = "job_images_name";

    private final ImageStore store;

    public Images(Database database) {
        this.store = new ImageStore(database);
    }

    public List<Route> routes() {
        return Stream.concat(new ImageRoutes(this).routes().stream(), new ImagePageRoutes(this).routes().stream())
                .toList();
    }

    public Future<CatalogueQuery.Found<Image>> page(Caller caller, CatalogueQuery query) {
        return store.page(caller, query, CatalogueQuery.PAGE + 1)
                .compose(read -> store.waiting(caller).map(waiting -> CatalogueQuery.Found.of(read, waiting)));
    }

    /** Those that a job can take, as far as a list to choose from goes. */
    public Future<List<Image>> offered(Caller caller, CatalogueQuery query, int most) {
        return store.page(caller, query, most);
    }

    public Future<Image> find(Caller caller, long id) {
        return store.find(caller, id).map(found -> found.orElseThrow(() -> none("" + id)));
    }

    /** Whether the catalogue has it, for everybody. */
    public Future<Boolean> isAccepted(String reference) {
        int colon = reference.lastIndexOf(':');
        return colon < reference.lastIndexOf('/')
                ? store.isAccepted(reference, "latest")
                : store.isAccepted(reference.substring(0, colon), reference.substring(colon + 1));
    }

    /** How the names of what is saved of tasks here begin, before the number of whose it is. */
    public Future<String> saved() {
        return store.install().map(install -> Kept.REGISTRY + "/" + install + "-");
    }

    public static Problem none(String id) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoImageError", "Image " + id + " is not found.");
    }

    /** All that keeps this from being an entry of the caller's: nobody opens to all what was saved of somebody else's task, but an administrator. */
    Future<List<Wrong>> wrong(Caller caller, Image.Content content) {
        var all = content.wrong();
        if (caller.admin() || !all.isEmpty() || !content.repository().startsWith(Kept.REGISTRY + "/")) {
            return Future.succeededFuture(all);
        }
        return saved().map(saved -> content.repository().startsWith(saved + caller.id() + "/")
                ? List.of()
                : List.of(new Wrong(
                        "repository",
                        "images.fault.notYours",
                        "repository: only what was saved of your own tasks is yours to propose.")));
    }

    private Future<Void> passed(Caller caller, Image.Content content) {
        return wrong(caller, content).map(wrong -> {
            Wrong.refuse(wrong);
            return null;
        });
    }

    /** What an administrator brings is accepted, what others bring is proposed. */
    public Future<Image> add(Caller caller, Image.Content content) {
        return passed(caller, content)
                .compose(passed -> store.waiting(caller))
                .compose(waiting -> {
                    Standing.refuse(caller, waiting);
                    return store.add(caller, content, Standing.State.of(caller));
                })
                .recover(e -> taken(e, content.name()))
                .onSuccess(added -> audit(caller, added.id(), "added"));
    }

    /** A proposal that is changed is proposed anew. */
    Future<Image> change(Caller caller, long id, Image.Content content) {
        return passed(caller, content)
                .compose(passed -> changeable(caller, id))
                .compose(old -> store.change(
                        old, content, caller.admin() ? old.standing().state() : Standing.State.PROPOSED))
                .recover(e -> taken(e, content.name()))
                .map(changed -> changed.orElseThrow(Standing::meanwhile))
                .onSuccess(changed -> audit(caller, id, "changed"));
    }

    private Future<Image> changeable(Caller caller, long id) {
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
                                "ConflictImageError",
                                "There is an image called " + name
                                        + " already. Choose another name, or change that one.")
                        : failure);
    }

    /** The administrator's word on it, which may be another than before. */
    Future<Image> answer(Caller admin, long id, Standing.Word word) {
        word.refuse();
        return find(admin, id)
                .compose(found -> store.answer(id, word).recover(e -> taken(e, found.name())))
                .map(answered -> answered.orElseThrow(Standing::meanwhile))
                .onSuccess(answered -> audit(admin, id, word.state().key()));
    }

    /** Out of the catalogue; in its registry it stays. */
    Future<Image> remove(Caller caller, long id) {
        return changeable(caller, id)
                .compose(old -> store.remove(old).map(removed -> {
                    if (!removed) {
                        throw Standing.meanwhile();
                    }
                    audit(caller, id, "removed");
                    return old;
                }));
    }

    private static void audit(Caller caller, long id, String what) {
        Identity.audit("image-" + what, "image", "" + id, "by", caller.name());
    }
}
