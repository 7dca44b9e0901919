package io.sluice.jobs.overview;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.overview.HomePage.Cell;
import io.sluice.jobs.overview.HomePage.Cluster;
import io.sluice.jobs.overview.HomePage.Free;
import io.sluice.jobs.overview.HomePage.Kind;
import io.sluice.jobs.overview.HomePage.Machine;
import io.sluice.jobs.overview.HomePage.Use;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Snapshot.Held;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What machines there are and what is free of them, read once for all viewers and at most every {@value #PAUSE_MILLIS} ms. */
final class Stock {
    private static final long PAUSE_MILLIS = 400;
    /** A ring may be lost. */
    private static final long OLDEST_NANOS = 5_000_000_000L;

    private final Vertx vertx;
    private final Jobs jobs;
    private final AtomicBoolean waiting = new AtomicBoolean();
    private volatile @Nullable Future<Free> kept;
    private volatile long read;
    private volatile @Nullable Runnable changed;

    Stock(Vertx vertx, Jobs jobs) {
        this.vertx = vertx;
        this.jobs = jobs;
    }

    /** Who is told when it is another. */
    void told(Runnable changed) {
        this.changed = changed;
    }

    /** Something changed. Callable from any thread. */
    void forget() {
        if (waiting.compareAndSet(false, true)) {
            vertx.setTimer(PAUSE_MILLIS, over -> {
                waiting.set(false);
                kept = null;
                Runnable tell = changed;
                if (tell != null) {
                    tell.run();
                }
            });
        }
    }

    /** What was read is not shown any more: who changed something looks at it in the next moment. */
    void renew() {
        kept = null;
    }

    Future<Free> now() {
        Future<Free> known = kept;
        if (known != null && !known.failed() && System.nanoTime() - read < OLDEST_NANOS) {
            return known;
        }
        var machines = jobs.machines();
        var inventory = jobs.inventory();
        Future<Free> fresh = Future.all(machines, inventory).map(both -> free(machines.result(), inventory.result()));
        read = System.nanoTime();
        kept = fresh;
        return fresh;
    }

    private static Free free(Snapshot snapshot, Inventory inventory) {
        Map<String, List<Held>> held = snapshot.running().stream()
                .flatMap(job -> job.tasks().stream())
                .collect(Collectors.groupingBy(Held::node));
        List<Machine> machines = inventory.nodes().stream()
                .map(node -> machine(node, held.getOrDefault(node.name(), List.of())))
                .toList();
        Map<String, Map<String, String>> types = new HashMap<>();
        inventory
                .nodes()
                .forEach(node -> types.put(
                        node.name(),
                        node.devices().stream().collect(Collectors.toMap(Device::id, Device::type, (a, b) -> a))));
        List<Cluster> clusters = snapshot.clusters().stream()
                .map(cluster -> cluster(cluster, snapshot, types))
                .toList();
        return new Free(kinds(machines), machines, clusters, snapshot.queue());
    }

    private static Machine machine(Node node, List<Held> tasks) {
        Set<String> taken = new HashSet<>();
        tasks.forEach(task -> taken.addAll(task.devices()));
        return new Machine(
                node.name(),
                node.unready(),
                node.limitsEnforced() ? null : node.limitsNote(),
                node.devices().stream()
                        .map(device -> new Cell(
                                device.type(),
                                taken.contains(device.id()) || device.checking() != null,
                                device.simulated(),
                                device.fault(),
                                device.checking()))
                        .toList(),
                new Use("cpus", "", Held.cpus(tasks), (long) node.cpus(), true),
                new Use("memory", "", tasks.stream().mapToLong(Held::memoryMB).sum(), (long) node.memoryMB(), true));
    }

    /** Devices of machines that are out of service are neither free nor in use. */
    private static List<Kind> kinds(List<Machine> machines) {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        for (Machine machine : machines) {
            for (Cell cell : machine.cells()) {
                boolean out = (machine.unready() != null || cell.fault() != null) && !cell.used();
                kinds.merge(
                        cell.type() + (cell.simulated() ? " simulated" : ""),
                        new Kind(cell.type(), cell.simulated(), cell.used() ? 1 : 0, out ? 1 : 0, 1),
                        Kind::and);
            }
        }
        return List.copyOf(kinds.values());
    }

    /** Of what has a quota, and of whatever else it uses. */
    private static Cluster cluster(
            Snapshot.Cluster cluster, Snapshot snapshot, Map<String, Map<String, String>> types) {
        List<Snapshot.Running> jobs = snapshot.running().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .toList();
        List<Held> held = jobs.stream().flatMap(job -> job.tasks().stream()).toList();
        List<Use> uses = new ArrayList<>();
        uses.add(use(
                "cpus",
                Held.cpus(held),
                cluster.cpus(),
                snapshot.nodes().stream().mapToLong(Snapshot.Node::cpus).sum()));
        uses.add(use(
                "memory",
                held.stream().mapToLong(Held::memoryMB).sum(),
                cluster.memoryMB(),
                snapshot.nodes().stream().mapToLong(Snapshot.Node::memoryMB).sum()));
        uses.addAll(devices(cluster, held, types));
        long waiting = snapshot.queue().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .count();
        return new Cluster(cluster.name(), cluster.stopped(), uses, jobs.size(), waiting);
    }

    private static Use use(String what, long used, @Nullable Integer quota, long all) {
        return new Use(what, "", used, quota == null ? all : quota, quota != null);
    }

    private static List<Use> devices(
            Snapshot.Cluster cluster, List<Held> held, Map<String, Map<String, String>> types) {
        Map<String, Long> used = held.stream()
                .flatMap(task -> task.devices().stream()
                        .map(id -> types.getOrDefault(task.node(), Map.of()).getOrDefault(id, "")))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        Map<String, Long> all = types.values().stream()
                .flatMap(node -> node.values().stream())
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        Map<String, Integer> quota = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        quota.putAll(Objects.requireNonNullElse(cluster.devices(), Map.of()));
        List<Use> uses = new ArrayList<>();
        quota.forEach((type, most) -> uses.add(new Use("devices", type, used(used, type), (long) most, true)));
        all.forEach((type, count) -> {
            if (!quota.containsKey(type) && !quota.containsKey("any")) {
                uses.add(new Use("devices", type, used(used, type), count, false));
            }
        });
        return uses;
    }

    private static long used(Map<String, Long> used, String type) {
        return type.equals("any")
                ? used.values().stream().mapToLong(Long::longValue).sum()
                : used.entrySet().stream()
                        .filter(one -> one.getKey().equalsIgnoreCase(type))
                        .mapToLong(Map.Entry::getValue)
                        .sum();
    }
}
