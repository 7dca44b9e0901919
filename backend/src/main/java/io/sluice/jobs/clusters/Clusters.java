package io.sluice.jobs.clusters;

import io.sluice.database.Database;
import io.sluice.identity.Identity;
import io.sluice.identity.grants.Grants;
import io.sluice.identity.grants.Grants.Holders;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The door to virtual clusters. What is changed here counts from the next pass of the scheduler on. */
public final class Clusters {
    private final ClusterStore store;
    private final Grants grants;
    private final Runnable changed;

    /** @param changed is run when one is another */
    public Clusters(Database database, Grants grants, Runnable changed) {
        this.store = new ClusterStore(database);
        this.grants = grants;
        this.changed = changed;
    }

    /**
     * Why somebody can not submit to a virtual cluster.
     *
     * @param open those to which they can
     * @param missing there is none, as far as they may know
     */
    public record Barred(String cluster, List<String> open, boolean missing) {
        public Barred {
            open = List.copyOf(open);
        }

        public Problem problem(Caller caller) {
            String others = String.join(", ", open);
            return missing
                    ? Problem.of(
                            Problem.Kind.NOT_FOUND,
                            "NoVirtualClusterError",
                            "Vc " + cluster + " not found. There are: " + others + ".")
                    : Problem.of(
                            Problem.Kind.FORBIDDEN,
                            "User " + caller.name() + " is not allowed to submit to virtual cluster " + cluster
                                    + ". Open to " + caller.name() + ": " + others
                                    + ". An administrator grants others.");
        }
    }

    /** The default one first. */
    public Future<List<Cluster>> all() {
        return store.all();
    }

    /** Those to which somebody may submit. */
    public Future<List<String>> openTo(Caller caller) {
        var all =
                store.all().map(clusters -> clusters.stream().map(Cluster::name).toList());
        if (caller.admin()) {
            return all;
        }
        return Future.all(all, grants.of(caller.id())).map(read -> {
            java.util.Set<String> granted = read.resultAt(1);
            return all.result().stream()
                    .filter(name -> name.equals(Cluster.DEFAULT) || granted.contains(name))
                    .toList();
        });
    }

    /** Everybody may submit to the default one, which is there as long as the house stands: nothing is asked for it. */
    public Future<Optional<Barred>> barred(Caller caller, String cluster) {
        return cluster.equals(Cluster.DEFAULT)
                ? Future.succeededFuture(Optional.empty())
                : openTo(caller)
                        .map(open -> open.contains(cluster)
                                ? Optional.empty()
                                : Optional.of(new Barred(cluster, open, caller.admin())));
    }

    /** By virtual cluster. */
    public Future<Map<String, Holders>> holders() {
        return grants.holders();
    }

    /** False when there is one of its name. */
    public Future<Boolean> add(Caller admin, Cluster cluster, Holders holders) {
        Cluster checked = cluster.checked();
        return known(holders)
                .compose(known -> store.add(checked))
                .compose(added -> added
                        ? grants.replace(cluster.name(), holders)
                                .map(replaced -> done(admin, "added", checked.name(), true))
                        : Future.succeededFuture(false));
    }

    /** Makes it or changes it; null holders: whom it is granted to stays. */
    public Future<Boolean> put(Caller admin, Cluster cluster, @Nullable Holders holders) {
        Cluster checked = cluster.checked();
        return known(holders == null ? Holders.NOBODY : holders)
                .compose(known -> store.put(checked))
                .compose(put -> holders == null ? Future.succeededFuture() : grants.replace(cluster.name(), holders))
                .map(put -> done(admin, "changed", checked.name(), true));
    }

    /** Those of the names that nobody has, and no group. */
    public Future<Holders> unknown(Holders holders) {
        return grants.unknown(holders);
    }

    private Future<Void> known(Holders holders) {
        return grants.unknown(holders).map(unknown -> {
            if (!unknown.users().isEmpty()) {
                throw Problem.of(
                        Problem.Kind.NOT_FOUND,
                        "NoUserError",
                        "User " + String.join(", ", unknown.users()) + " is not found.");
            }
            if (!unknown.groups().isEmpty()) {
                throw Problem.of(
                        Problem.Kind.NOT_FOUND,
                        "NoGroupError",
                        "Group " + String.join(", ", unknown.groups()) + " is not found.");
            }
            return null;
        });
    }

    /** From now on it starts nothing, or starts what waits. What runs goes on. */
    public Future<Void> stop(Caller admin, String name, boolean stopped) {
        return store.stop(name, stopped).map(found -> {
            if (!found) {
                throw none(name);
            }
            done(admin, stopped ? "stopped" : "started", name, true);
            return null;
        });
    }

    /** Only one whose jobs are all over, and never the default one. */
    public Future<Void> remove(Caller admin, String name) {
        if (name.equals(Cluster.DEFAULT)) {
            return Future.failedFuture(
                    Problem.of(Problem.Kind.FORBIDDEN, "Update operation to default vc isn't allowed"));
        }
        return store.remove(name).compose(removed -> {
            if (removed) {
                return grants.replace(name, Holders.NOBODY).map(gone -> {
                    done(admin, "removed", name, true);
                    return null;
                });
            }
            return store.all().map(all -> {
                throw all.stream().anyMatch(one -> one.name().equals(name))
                        ? Problem.of(
                                Problem.Kind.FORBIDDEN,
                                "RemoveRunningVcError",
                                "Jobs in virtual cluster " + name
                                        + " are not over yet. Stop it, wait until they are, and remove it then.")
                        : none(name);
            });
        });
    }

    public static Problem none(String name) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoVirtualClusterError", "Vc " + name + " not found");
    }

    private boolean done(Caller admin, String what, String name, boolean news) {
        Identity.audit("virtual-cluster-" + what, "virtualCluster", name, "by", admin.name());
        changed.run();
        return news;
    }
}
