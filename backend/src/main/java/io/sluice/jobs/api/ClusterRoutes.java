package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.identity.grants.Grants;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.clusters.Clusters;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Virtual clusters, and the machines in the forms that OpenPAI's clients ask for. */
final class ClusterRoutes {
    private static final List<String> VERSIONS = List.of("/api/v1", "/api/v2");

    private final Jobs jobs;

    ClusterRoutes(Jobs jobs) {
        this.jobs = jobs;
    }

    List<Route> routes() {
        var reading = Stream.of(
                Route.get("/api/v1/virtual-clusters", call -> clusters(call, ClusterJson::oldCluster)),
                Route.get("/api/v1/virtual-clusters/:vc", call -> cluster(call, ClusterJson::oldCluster)),
                Route.get("/api/v2/virtual-clusters", call -> clusters(call, ClusterJson::cluster)),
                Route.get("/api/v2/virtual-clusters/:vc", call -> cluster(call, ClusterJson::cluster)),
                Route.get("/api/v2/virtual-clusters/:vc/sku-types", this::skus),
                Route.get("/api/v2/cluster/sku-types", this::skus));
        var writing = VERSIONS.stream()
                .map(version -> version + "/virtual-clusters/:vc")
                .flatMap(path -> Stream.of(
                        Route.put(path, this::put),
                        Route.delete(path, this::remove),
                        Route.put(path + "/status", this::state)))
                .map(route -> route.forAdmins().withoutApplications());
        var kubernetes = VERSIONS.stream()
                .flatMap(version -> Stream.of(
                        Route.get(version + "/kubernetes/nodes", this::nodes),
                        Route.get(version + "/kubernetes/pods", this::pods)))
                .map(Route::forAdmins);
        return Stream.of(reading, writing, kubernetes)
                .flatMap(Function.identity())
                .map(route -> route.method().name().equals("GET") ? route.scope(JobRoutes.READ) : route)
                .toList();
    }

    /** Draws a virtual cluster. */
    @FunctionalInterface
    private interface Drawing {
        ObjectNode draw(Snapshot machines, Cluster cluster);
    }

    private Future<Reply> clusters(Call call, Drawing drawing) {
        if (call.query("nodes").isPresent()) {
            return jobs.machines().map(machines -> Reply.json(ClusterJson.nodes(machines)));
        }
        var machines = jobs.machines();
        var clusters = jobs.clusters().all();
        return Future.all(machines, clusters).map(read -> {
            var all = JobJson.object();
            clusters.result().forEach(cluster -> all.set(cluster.name(), drawing.draw(machines.result(), cluster)));
            return Reply.json(all);
        });
    }

    private Future<Reply> cluster(Call call, Drawing drawing) {
        String name = nameOf(call);
        var machines = jobs.machines();
        var clusters = jobs.clusters().all();
        return Future.all(machines, clusters)
                .map(read -> clusters.result().stream()
                        .filter(cluster -> cluster.name().equals(name))
                        .findFirst()
                        .map(cluster -> Reply.json(drawing.draw(machines.result(), cluster)))
                        .orElseThrow(() -> Clusters.none(name)));
    }

    private static String nameOf(Call call) {
        String name = call.path("vc");
        if (!name.matches("[A-Za-z0-9_]+")) {
            throw Problem.invalid("The name of a virtual cluster is of letters, digits and _, not " + name + ".");
        }
        return name;
    }

    /** Makes it or changes it: what is not named stays as it is, null lifts a limit. */
    private Future<Reply> put(Call call) {
        String name = nameOf(call);
        ObjectNode input = call.input();
        if (input.has("vcCapacity") || input.has("vcMaxCapacity")) {
            throw Problem.of(
                    Problem.Kind.INVALID,
                    "NotImplementedError",
                    "A share in percent is no quota here. Give cpus, memoryMB and devices instead.");
        }
        var change = ClusterChange.of(input);
        return jobs.clusters()
                .all()
                .map(all -> all.stream()
                        .filter(cluster -> cluster.name().equals(name))
                        .findFirst()
                        .orElse(new Cluster(name, "", null, null, Map.of(), false)))
                .compose(old -> jobs.clusters()
                        .holders()
                        .compose(holders -> jobs.clusters()
                                .put(
                                        call.caller(),
                                        change.applied(old),
                                        change.holders(holders.getOrDefault(name, Grants.Holders.NOBODY)))))
                .map(put -> Reply.message(201, "update vc: " + name + " successfully"));
    }

    private Future<Reply> remove(Call call) {
        String name = nameOf(call);
        return jobs.clusters()
                .remove(call.caller(), name)
                .map(removed -> Reply.message(201, "remove vc: " + name + " successfully"));
    }

    private Future<Reply> state(Call call) {
        String name = nameOf(call);
        boolean stopped = switch (call.field("vcStatus").orElse("").toLowerCase(Locale.ROOT)) {
            case "stopped" -> true;
            case "running" -> false;
            default -> throw Problem.invalid("The vcStatus is stopped or running.");
        };
        return jobs.clusters()
                .stop(call.caller(), name, stopped)
                .map(done -> Reply.message(201, (stopped ? "stop" : "activate") + " vc " + name + " successfully"));
    }

    private Future<Reply> skus(Call call) {
        return jobs.inventory().map(inventory -> Reply.json(ClusterJson.skus(inventory)));
    }

    private Future<Reply> nodes(Call call) {
        return jobs.inventory().map(inventory -> Reply.json(KubernetesJson.nodes(inventory)));
    }

    private Future<Reply> pods(Call call) {
        return jobs.machines().map(machines -> Reply.json(KubernetesJson.pods(machines)));
    }
}
