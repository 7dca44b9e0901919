package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.Json;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.placement.Snapshot;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** What a virtual cluster has and uses, in OpenPAI's fields, and its quotas in ours. */
final class ClusterJson {
    private ClusterJson() {}

    static ObjectNode cluster(Snapshot machines, Cluster cluster) {
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
        json.put("description", cluster.description()).put("status", cluster.stopped() ? "STOPPED" : "RUNNING");
        json.set("quota", quota(cluster));
        json.set("idle", cluster.idle() == null ? JobJson.object().nullNode() : Json.tree(cluster.idle()));
        return json;
    }

    private static ObjectNode quota(Cluster cluster) {
        var quota = JobJson.object().put("cpus", cluster.cpus()).put("memoryMB", cluster.memoryMB());
        var devices = quota.putObject("devices");
        new TreeMap<>(cluster.devices()).forEach(devices::put);
        return quota;
    }

    static ObjectNode oldCluster(Snapshot machines, Cluster cluster) {
        long running = machines.running().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .count();
        long waiting = machines.queue().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .count();
        var json = cluster(machines, cluster)
                .put("numActiveJobs", running)
                .put("numJobs", running + waiting)
                .put("numPendingJobs", waiting);
        var nodes = json.putArray("nodeList");
        machines.nodes().forEach(node -> nodes.add(node.name()));
        return json;
    }

    static ObjectNode nodes(Snapshot machines) {
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

    /** What comes with one device of a type wherever it is given; with a processor, on machines that have no device. */
    private record Sku(int cpus, int memoryMB, int devices) {
        static Sku share(Node node, int parts, int devices) {
            return new Sku(Math.max(1, node.cpus() / parts), node.memoryMB() / parts, devices);
        }

        Sku least(Sku other) {
            return new Sku(Math.min(cpus, other.cpus), Math.min(memoryMB, other.memoryMB), devices);
        }
    }

    static ObjectNode skus(Inventory inventory) {
        Map<String, Sku> all = new TreeMap<>();
        for (Node node : inventory.nodes()) {
            int devices = node.devices().size();
            if (devices == 0) {
                all.merge("cpu", Sku.share(node, Math.max(1, node.cpus()), 0), Sku::least);
            }
            node.devices().forEach(device -> all.merge(device.type(), Sku.share(node, devices, 1), Sku::least));
        }
        var json = JobJson.object();
        all.forEach((type, sku) -> json.putObject(type)
                .put("cpu", sku.cpus())
                .put("memory", sku.memoryMB())
                .put("gpu", sku.devices()));
        return json;
    }

    private static ObjectNode total(Snapshot machines) {
        return resources(
                sum(machines, Snapshot.Node::cpus),
                sum(machines, Snapshot.Node::memoryMB),
                sum(machines, node -> node.devices().size()));
    }

    /** No more than the machines have. */
    private static ObjectNode guaranteed(Snapshot machines, Cluster cluster) {
        var total = total(machines);
        Integer cpus = cluster.cpus();
        Integer memory = cluster.memoryMB();
        long allCpus = total.get("cpu").asLong();
        long allMemory = total.get("memory").asLong();
        return resources(
                cpus == null ? allCpus : Math.min(cpus, allCpus),
                memory == null ? allMemory : Math.min(memory, allMemory),
                devices(machines, cluster));
    }

    /** Types that the quota has no word on are unlimited. */
    private static long devices(Snapshot machines, Cluster cluster) {
        Map<String, Long> types = machines.nodes().stream()
                .flatMap(node -> node.devices().stream())
                .collect(Collectors.groupingBy(Snapshot.Device::type, Collectors.counting()));
        Map<String, Integer> quota = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        quota.putAll(cluster.devices());
        long all = types.entrySet().stream()
                .mapToLong(type -> {
                    Integer most = quota.get(type.getKey());
                    return most == null ? type.getValue() : Math.min(most, type.getValue());
                })
                .sum();
        Integer any = quota.get("any");
        return any == null ? all : Math.min(any, all);
    }

    private static ObjectNode used(Snapshot machines, Cluster cluster) {
        var held = machines.running().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .flatMap(job -> job.tasks().stream())
                .toList();
        return resources(
                Snapshot.Held.cpus(held),
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
