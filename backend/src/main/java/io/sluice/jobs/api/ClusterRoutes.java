package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
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
                        Route.put(path, this::fixed),
                        Route.delete(path, this::fixed),
                        Route.put(path + "/status", this::fixed)))
                .map(route -> route.forAdmins().withoutApplications());
        var kubernetes = VERSIONS.stream()
                .flatMap(version -> Stream.of(
                        Route.get(version + "/kubernetes/nodes", this::nodes),
                        Route.get(version + "/kubernetes/pods", this::pods)))
                .map(Route::forAdmins);
        var storages = Stream.of(
                Route.get("/api/v2/storages", this::storages), Route.get("/api/v2/storages/:storage", this::storage));
        return Stream.of(reading, writing, kubernetes, storages)
                .flatMap(Function.identity())
                .map(route -> route.method().name().equals("GET") ? route.scope(JobRoutes.READ) : route)
                .toList();
    }

    /** Draws a virtual cluster. */
    @FunctionalInterface
    private interface Drawing {
        ObjectNode draw(Snapshot machines, Snapshot.Cluster cluster);
    }

    private Future<Reply> clusters(Call call, Drawing drawing) {
        if (call.query("nodes").isPresent()) {
            return jobs.machines().map(machines -> Reply.json(ClusterJson.nodes(machines)));
        }
        return jobs.machines().map(machines -> {
            var all = JobJson.object();
            machines.clusters().forEach(cluster -> all.set(cluster.name(), drawing.draw(machines, cluster)));
            return Reply.json(all);
        });
    }

    private Future<Reply> cluster(Call call, Drawing drawing) {
        String name = nameOf(call);
        return jobs.machines().map(machines -> Reply.json(drawing.draw(machines, find(machines, name))));
    }

    private static String nameOf(Call call) {
        String name = call.path("vc");
        if (!name.matches("[A-Za-z0-9_]+")) {
            throw Problem.invalid("The name of a virtual cluster is of letters, digits and _, not " + name + ".");
        }
        return name;
    }

    private static Snapshot.Cluster find(Snapshot machines, String name) {
        return machines.clusters().stream()
                .filter(cluster -> cluster.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> Problem.of(Problem.Kind.NOT_FOUND, "NoVirtualClusterError", "Vc " + name + " not found"));
    }

    /** Virtual clusters are the operator's, as in OpenPAI on Kubernetes. */
    private Future<Reply> fixed(Call call) {
        String name = nameOf(call);
        throw name.equals("default")
                ? Problem.of(Problem.Kind.FORBIDDEN, "Update operation to default vc isn't allowed")
                : Problem.of(
                        Problem.Kind.INVALID,
                        "NotImplementedError",
                        "Virtual clusters can not be changed through this API.");
    }

    /** What comes with one device of each type, on the node that has the least to give with it. */
    private Future<Reply> skus(Call call) {
        return jobs.inventory().map(inventory -> Reply.json(skus(inventory)));
    }

    private static ObjectNode skus(Inventory inventory) {
        var all = JobJson.object();
        for (var node : inventory.nodes()) {
            node.devices().stream().map(Device::type).distinct().forEach(type -> {
                int devices = node.devices().size();
                all.putObject(type)
                        .put("cpu", Math.max(1, node.cpus() / devices))
                        .put("memory", node.memoryMB() / devices)
                        .put("gpu", 1);
            });
            if (node.devices().isEmpty()) {
                all.putObject("cpu")
                        .put("cpu", 1)
                        .put("memory", node.memoryMB() / Math.max(1, node.cpus()))
                        .put("gpu", 0);
            }
        }
        return all;
    }

    private Future<Reply> nodes(Call call) {
        return jobs.inventory().map(inventory -> Reply.json(KubernetesJson.nodes(inventory)));
    }

    private Future<Reply> pods(Call call) {
        return jobs.machines().map(machines -> Reply.json(KubernetesJson.pods(machines)));
    }

    private Future<Reply> storages(Call call) {
        return Future.succeededFuture(Reply.json(Map.of("storages", List.of())));
    }

    private Future<Reply> storage(Call call) {
        String name = call.path("storage");
        throw Problem.of(Problem.Kind.NOT_FOUND, "NoStorageError", "Storage " + name + " is not found.");
    }

    /** Sums and shapes of what a virtual cluster has. */
    private static final class ClusterJson {
        private static ObjectNode cluster(Snapshot machines, Snapshot.Cluster cluster) {
            var total = total(machines);
            var guaranteed = guaranteed(machines, cluster);
            var used = used(machines, cluster);
            var json = JobJson.object()
                    .put("capacity", share(guaranteed, total))
                    .put("usedCapacity", share(used, total))
                    .put("maxCapacity", 100)
                    .put("dedicated", false);
            json.set("resourcesUsed", used);
            json.set("resourcesGuaranteed", guaranteed);
            json.set("resourcesTotal", guaranteed.deepCopy());
            return json;
        }

        private static ObjectNode oldCluster(Snapshot machines, Snapshot.Cluster cluster) {
            long running = machines.running().stream()
                    .filter(job -> job.cluster().equals(cluster.name()))
                    .count();
            long waiting = machines.queue().stream()
                    .filter(job -> job.cluster().equals(cluster.name()))
                    .count();
            var json = cluster(machines, cluster)
                    .put("numActiveJobs", running)
                    .put("numJobs", running + waiting)
                    .put("numPendingJobs", waiting)
                    .put("status", cluster.stopped() ? "STOPPED" : "RUNNING");
            var nodes = json.putArray("nodeList");
            machines.nodes().forEach(node -> nodes.add(node.name()));
            return json;
        }

        private static ObjectNode nodes(Snapshot machines) {
            Map<String, Long> used = machines.running().stream()
                    .flatMap(job -> job.tasks().stream())
                    .collect(Collectors.groupingBy(
                            Snapshot.Held::node,
                            Collectors.summingLong(held -> held.devices().size())));
            var all = JobJson.object();
            for (var node : machines.nodes()) {
                long taken = used.getOrDefault(node.name(), 0L);
                int devices = node.devices().size();
                all.putObject(node.name())
                        .put("gpuUsed", taken)
                        .put("gpuAvailable", devices - taken)
                        .put("gpuTotal", devices);
            }
            return all;
        }

        private static ObjectNode total(Snapshot machines) {
            return resources(
                    sum(machines, Snapshot.Node::cpus),
                    sum(machines, Snapshot.Node::memoryMB),
                    sum(machines, node -> node.devices().size()));
        }

        private static ObjectNode guaranteed(Snapshot machines, Snapshot.Cluster cluster) {
            var total = total(machines);
            Integer cpus = cluster.cpus();
            Integer memory = cluster.memoryMB();
            Map<String, Integer> devices = cluster.devices();
            long all = total.get("gpu").asLong();
            return resources(
                    cpus == null ? total.get("cpu").asLong() : cpus,
                    memory == null ? total.get("memory").asLong() : memory,
                    devices == null
                            ? all
                            : Math.min(
                                    all,
                                    devices.values().stream()
                                            .mapToLong(count -> count)
                                            .sum()));
        }

        private static ObjectNode used(Snapshot machines, Snapshot.Cluster cluster) {
            var held = machines.running().stream()
                    .filter(job -> job.cluster().equals(cluster.name()))
                    .flatMap(job -> job.tasks().stream())
                    .toList();
            return resources(
                    held.stream().mapToLong(Snapshot.Held::cpus).sum(),
                    held.stream().mapToLong(Snapshot.Held::memoryMB).sum(),
                    held.stream().mapToLong(task -> task.devices().size()).sum());
        }

        private static long sum(Snapshot machines, ToLongFunction<Snapshot.Node> what) {
            return machines.nodes().stream().mapToLong(what).sum();
        }

        private static ObjectNode resources(long cpus, long memory, long devices) {
            return JobJson.object()
                    .put("cpu", cpus)
                    .put("memory", memory)
                    .put("gpu", devices)
                    .put("vCores", cpus)
                    .put("GPUs", devices);
        }

        /** Of the devices, or of the processors where there are none, in percent. */
        private static double share(ObjectNode part, ObjectNode whole) {
            String what = whole.get("gpu").asLong() > 0 ? "gpu" : "cpu";
            return 100.0 * part.get(what).asLong() / Math.max(1, whole.get(what).asLong());
        }
    }
}
