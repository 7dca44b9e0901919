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
                        .map(device -> new Cell(device.type(), taken.contains(device.id()), device.simulated()))
                        .toList(),
                new Use("cpus", "", tasks.stream().mapToLong(Held::cpus).sum(), (long) node.cpus()),
                new Use("memory", "", tasks.stream().mapToLong(Held::memoryMB).sum(), (long) node.memoryMB()));
    }

    /** Devices of machines that are out of service are neither free nor in use. */
    private static List<Kind> kinds(List<Machine> machines) {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        for (Machine machine : machines) {
            for (Cell cell : machine.cells()) {
                boolean out = machine.unready() != null && !cell.used();
                kinds.merge(
                        cell.type() + (cell.simulated() ? " simulated" : ""),
                        new Kind(cell.type(), cell.simulated(), cell.used() ? 1 : 0, out ? 1 : 0, 1),
                        Kind::and);
            }
        }
        return List.copyOf(kinds.values());
    }

    private static Cluster cluster(
            Snapshot.Cluster cluster, Snapshot snapshot, Map<String, Map<String, String>> types) {
        List<Held> held = snapshot.running().stream()
                .filter(job -> job.cluster().equals(cluster.name()))
                .flatMap(job -> job.tasks().stream())
                .toList();
        List<Use> uses = new ArrayList<>();
        Integer cpus = cluster.cpus();
        if (cpus != null) {
            uses.add(new Use("cpus", "", held.stream().mapToLong(Held::cpus).sum(), (long) cpus));
        }
        Integer memory = cluster.memoryMB();
        if (memory != null) {
            uses.add(new Use(
                    "memory", "", held.stream().mapToLong(Held::memoryMB).sum(), (long) memory));
        }
        Map<String, Long> used = held.stream()
                .flatMap(task -> task.devices().stream()
                        .map(id -> types.getOrDefault(task.node(), Map.of()).getOrDefault(id, "")))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        Map<String, Integer> devices = cluster.devices();
        new TreeMap<>(devices == null ? Map.of() : devices)
                .forEach((type, most) -> uses.add(new Use("devices", type, used(used, type), (long) most)));
        return new Cluster(cluster.name(), cluster.stopped(), uses);
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
