package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.placement.Snapshot;

/** Machines and tasks as Kubernetes would list them, as far as OpenPAI's clients look. */
final class KubernetesJson {
    private KubernetesJson() {}

    static ObjectNode nodes(Inventory inventory) {
        var json = list("NodeList");
        inventory.nodes().forEach(node -> json.withArray("items").add(node(node)));
        return json;
    }

    private static ObjectNode node(Node node) {
        var json = JobJson.object();
        json.putObject("metadata").put("name", node.name()).put("uid", JobJson.uid("node/" + node.name()));
        json.putObject("spec").put("unschedulable", node.unready() != null);
        var status = json.putObject("status");
        for (String amount : new String[] {"capacity", "allocatable"}) {
            status.putObject(amount)
                    .put("cpu", Integer.toString(node.cpus()))
                    .put("memory", node.memoryMB() + "Mi")
                    .put("nvidia.com/gpu", Integer.toString(node.devices().size()));
        }
        status.putArray("addresses").addObject().put("type", "InternalIP").put("address", node.address());
        status.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", node.unready() == null ? "True" : "False");
        return json;
    }

    /** One for each task that holds a machine. */
    static ObjectNode pods(Snapshot machines) {
        var json = list("PodList");
        for (var job : machines.running()) {
            for (int i = 0; i < job.tasks().size(); i++) {
                var pod = json.withArray("items").addObject();
                String name = "job-" + job.job() + "-" + i;
                pod.putObject("metadata")
                        .put("name", name)
                        .put("namespace", "default")
                        .put("uid", JobJson.uid(name))
                        .putObject("labels")
                        .put("userName", job.user())
                        .put("virtualCluster", job.cluster());
                pod.putObject("spec").put("nodeName", job.tasks().get(i).node());
                pod.putObject("status").put("phase", "Running");
            }
        }
        return json;
    }

    private static ObjectNode list(String kind) {
        var json = JobJson.object().put("kind", kind).put("apiVersion", "v1");
        json.putArray("items");
        return json;
    }
}
