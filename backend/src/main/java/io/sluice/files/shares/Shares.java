package io.sluice.files.shares;

import io.sluice.database.Database;
import io.sluice.identity.Identity;
import io.sluice.identity.grants.Grants;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;

/** The door to what is shared. */
public final class Shares {

    private final ShareStore store;
    private final Grants grants;

    public Shares(Database database, Grants grants) {
        this.store = new ShareStore(database);
        this.grants = grants;
    }

    public List<Route> routes() {
        return Stream.concat(new ShareRoutes(this).routes().stream(), new StorageRoutes(this).routes().stream())
                .toList();
    }

    public Future<List<Share>> all() {
        return store.all();
    }

    /** What somebody may see, by name. */
    public Future<List<Held>> of(long user) {
        return store.of(user);
    }

    /** From now on exactly so; one that there was not is made. What runs already keeps what it has. */
    Future<Void> put(Caller caller, Share share) {
        if (!Share.isName(share.name())) {
            throw Problem.invalid("A share's name has 1 to 63 of a-z 0-9 . _ - and begins with a letter or a digit;"
                    + " output is taken.");
        }
        if (share.description().length() > Share.LONGEST_DESCRIPTION) {
            throw Problem.invalid("A description has up to " + Share.LONGEST_DESCRIPTION + " characters.");
        }
        var groups = Stream.concat(share.readers().stream(), share.writers().stream())
                .distinct()
                .toList();
        return grants.unknown(new Grants.Holders(List.of(), groups)).compose(unknown -> {
            if (!unknown.groups().isEmpty()) {
                throw Problem.of(
                        Problem.Kind.UNPROCESSABLE,
                        "There is no group called " + String.join(", ", unknown.groups())
                                + ". Everybody is in the group default.");
            }
            Identity.audit(
                    "share-set",
                    "share",
                    share.name(),
                    "readers",
                    "" + share.readers(),
                    "writers",
                    "" + share.writers(),
                    "everywhere",
                    "" + share.everywhere(),
                    "by",
                    caller.name());
            return store.put(share);
        });
    }

    /** Nobody sees it any more; what is in it stays on the disk. */
    Future<Void> remove(Caller caller, String name) {
        if (name.equals(Share.DATASETS.name()) || name.equals(Share.COMMON.name())) {
            throw Problem.of(
                    Problem.Kind.CONFLICT, "There always is a share " + name + ". Take its groups away instead.");
        }
        return store.remove(name).map(removed -> {
            if (!removed) {
                throw Problem.notFound("There is no share called " + name + ".");
            }
            Identity.audit("share-removed", "share", name, "by", caller.name());
            return null;
        });
    }
}
