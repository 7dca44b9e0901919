package io.sluice.jobs.release;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.release.ReleaseStore.Release;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps a device that a task has given back from being given again before its tool, asked after that, has told that it is well and holds no process.
 * One that does not answer is a fault before the time is up; where nobody asks nothing is kept.
 */
public final class Releases {
    /** Longer than it takes until a tool that hangs is known to: three rounds, each of which may wait and rest. */
    static final Duration MOST = Duration.ofMinutes(2);

    private final ReleaseStore store;
    private final ReleaseMetrics metrics;

    public Releases(Database database, CollectorRegistry registry) {
        this.store = new ReleaseStore(database);
        this.metrics = new ReleaseMetrics(registry);
    }

    /** The same machines; devices that are to be looked at first say so. */
    public Future<Inventory> of(Inventory inventory) {
        boolean looked = inventory.nodes().stream()
                .flatMap(node -> node.devices().stream())
                .anyMatch(device -> device.checked() != null);
        return looked ? store.lately(MOST).map(lately -> marked(inventory, lately)) : Future.succeededFuture(inventory);
    }

    private Inventory marked(Inventory inventory, List<Release> lately) {
        Instant now = Instant.now();
        Map<String, Instant> released = new HashMap<>();
        lately.forEach(one -> released.put(one.node() + "/" + one.device(), now.minus(one.age())));
        int unchecked = 0;
        var nodes = new ArrayList<Node>();
        for (Node node : inventory.nodes()) {
            var devices = new ArrayList<Device>();
            for (Device device : node.devices()) {
                Instant at = released.get(node.name() + "/" + device.id());
                if (at != null && waits(device, at)) {
                    unchecked++;
                    devices.add(device.checking(why(at)));
                } else {
                    devices.add(device);
                }
            }
            nodes.add(node.of(devices));
        }
        metrics.unchecked(unchecked);
        return new Inventory(nodes);
    }

    private static boolean waits(Device device, Instant released) {
        Instant checked = device.checked();
        return device.fault() == null && checked != null && checked.isBefore(released);
    }

    private static String why(Instant released) {
        return "Given back at " + released.truncatedTo(ChronoUnit.SECONDS)
                + "; it is given again once it is seen to be well and free of processes";
    }
}
