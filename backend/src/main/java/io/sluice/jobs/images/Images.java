package io.sluice.jobs.images;

import io.sluice.database.Database;
import io.sluice.engines.Engine.Kept;
import io.sluice.files.catalogue.Catalogue;
import io.sluice.files.catalogue.Wrong;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;

/** The door to the catalogue of images. What a caller may not see does not exist. */
public final class Images extends Catalogue<Image, Image.Content> {
    private static final Kind KIND = new Kind("image", "an image", "Image", "job_images_name", DeviceKind.KEYS);

    private final ImageStore store;

    public Images(Database database) {
        this(new ImageStore(database));
    }

    private Images(ImageStore store) {
        super(store, KIND);
        this.store = store;
    }

    public List<Route> routes() {
        return Stream.concat(new ImageRoutes(this).routes().stream(), new ImagePageRoutes(this).routes().stream())
                .toList();
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
        return KIND.none(id);
    }

    /** Nobody opens to all what was saved of somebody else's task, but an administrator. */
    @Override
    public Future<List<Wrong>> wrong(Caller caller, Image.Content content) {
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

    @Override
    protected String nameOf(Image.Content content) {
        return content.name();
    }
}
