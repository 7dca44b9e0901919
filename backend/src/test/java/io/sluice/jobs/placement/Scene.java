package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Demand.Role;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Node;
import io.sluice.jobs.placement.Snapshot.Rules;
import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A cluster made up for a test; jobs are told apart by their names and come in the order in which they are written down. */
final class Scene {
    static final Instant START = Instant.parse("2026-03-01T08:00:00Z");
    static final Duration PATIENCE = Duration.ofMinutes(5);

    final List<Node> nodes = new ArrayList<>();
    final List<Running> running = new ArrayList<>();
    final List<Cluster> clusters = new ArrayList<>();
    final List<Demand> queue = new ArrayList<>();
    final Map<String, Demand> jobs = new HashMap<>();
    Instant now = START;
    Duration patience = PATIENCE;
    Decisions last = Decisions.NONE;
    private int submitted;

    static Scene of(Node... nodes) {
        Scene scene = new Scene();
        scene.nodes.addAll(List.of(nodes));
        scene.clusters.add(new Cluster("default", null, null, null, false));
        return scene;
    }

    static Node node(String name, int cpus, int devices, String type) {
        return node(name, cpus, cpus * 4096, devices, type);
    }

    static Node node(String name, int cpus, int memoryMB, int devices, String type) {
        List<Device> list = new ArrayList<>();
        String vendor = type.startsWith("Ascend") ? "ascend" : "nvidia";
        for (int index = 0; index < devices; index++) {
            String half = vendor.equals("ascend") ? "half" + index / 4 : null;
            Integer numa = vendor.equals("ascend") ? null : index / 4;
            list.add(new Device("d" + index, type, vendor, half, numa, null));
        }
        return new Node(name, cpus, memoryMB, list, null);
    }

    static Node closed(Node node, String reason) {
        return new Node(node.name(), node.cpus(), node.memoryMB(), node.devices(), reason);
    }

    static Node broken(Node node, int device, String fault) {
        List<Device> devices = new ArrayList<>(node.devices());
        Device old = devices.get(device);
        devices.set(device, new Device(old.id(), old.type(), old.vendor(), old.half(), old.numaNode(), fault));
        return new Node(node.name(), node.cpus(), node.memoryMB(), devices, node.unschedulable());
    }

    /** These, and no others, were given back and are being checked. */
    Scene checks(String... devices) {
        List<String> given = List.of(devices);
        nodes.replaceAll(node -> new Node(
                node.name(),
                node.cpus(),
                node.memoryMB(),
                node.devices().stream()
                        .map(old -> new Device(
                                old.id(),
                                old.type(),
                                old.vendor(),
                                old.half(),
                                old.numaNode(),
                                old.fault(),
                                given.contains(node.name() + "/" + old.id()) ? "being checked" : null))
                        .toList(),
                node.unschedulable()));
        return this;
    }

    Scene cluster(String name, @Nullable Integer cpus, @Nullable Map<String, Integer> devices) {
        clusters.add(new Cluster(name, cpus, null, devices, false));
        return this;
    }

    Wish job(String name) {
        return new Wish(name);
    }

    /** A job in the making: one task with one processor. */
    final class Wish {
        private final String name;
        private String cluster = "default";
        private int priority = 10;
        private @Nullable Duration maxRun;
        private boolean preemptible;
        private boolean gang = true;
        private final List<Role> roles = new ArrayList<>();

        private Wish(String name) {
            this.name = name;
        }

        Wish in(String name) {
            cluster = name;
            return this;
        }

        Wish priority(int number) {
            priority = number;
            return this;
        }

        Wish runs(Duration longest) {
            maxRun = longest;
            return this;
        }

        Wish preemptible() {
            preemptible = true;
            return this;
        }

        Wish loose() {
            gang = false;
            return this;
        }

        Wish tasks(int instances, int cpus, int devices, @Nullable String type) {
            roles.add(new Role("role" + roles.size(), instances, cpus, 1024, devices, type, 64));
            return this;
        }

        Demand demand() {
            if (roles.isEmpty()) {
                tasks(1, 1, 0, null);
            }
            Instant at = now.plusMillis(submitted++);
            Demand demand = new Demand(
                    name, "user-" + name, cluster, priority, at, at, maxRun, preemptible, gang, List.copyOf(roles));
            jobs.put(name, demand);
            return demand;
        }

        Scene waits() {
            queue.add(demand());
            return Scene.this;
        }

        /** Runs since now, on these devices of a node. */
        Scene runsOn(String node, String... devices) {
            Demand demand = demand();
            Role role = demand.roles().getFirst();
            running.add(running(demand, List.of(new Held(node, role.cpus(), role.memoryMB(), List.of(devices)))));
            return Scene.this;
        }
    }

    private Running running(Demand demand, List<Held> held) {
        return new Running(
                demand.job(),
                demand.user(),
                demand.cluster(),
                demand.priority(),
                now,
                demand.maxRun() == null ? null : now.plus(demand.maxRun()),
                demand.preemptible(),
                false,
                held);
    }

    Snapshot snapshot() {
        return new Snapshot(now, new Rules(patience, Duration.ofHours(24)), nodes, running, clusters, queue);
    }

    /** One pass; what starts runs, what has to go is leaving. */
    Decisions pass() {
        last = Placement.pass(snapshot(), last);
        last.starts().forEach(this::start);
        last.preempts().forEach(preempt -> leave(preempt.job()));
        return last;
    }

    Scene later(Duration time) {
        now = now.plus(time);
        return this;
    }

    private void start(Decisions.Start start) {
        Demand demand = Objects.requireNonNull(jobs.get(start.job()));
        List<Held> held = new ArrayList<>();
        Map<String, Integer> placed = new HashMap<>();
        for (Decisions.Place place : start.places()) {
            Role role = role(demand, place.role());
            placed.merge(place.role(), 1, Integer::sum);
            held.add(new Held(place.node(), role.cpus(), Math.max(role.memoryMB(), role.shmMB()), place.devices()));
        }
        running.add(running(demand, held));
        int index = indexOf(demand.job());
        List<Role> rest = queue.get(index).roles().stream()
                .map(role -> new Role(
                        role.name(),
                        role.instances() - placed.getOrDefault(role.name(), 0),
                        role.cpus(),
                        role.memoryMB(),
                        role.devices(),
                        role.deviceType(),
                        role.shmMB()))
                .filter(role -> role.instances() > 0)
                .toList();
        if (rest.isEmpty()) {
            queue.remove(index);
        } else {
            queue.set(
                    index,
                    new Demand(
                            demand.job(),
                            demand.user(),
                            demand.cluster(),
                            demand.priority(),
                            demand.submitted(),
                            demand.since(),
                            demand.maxRun(),
                            demand.preemptible(),
                            demand.gang(),
                            rest));
        }
    }

    private int indexOf(String job) {
        return queue.stream().map(Demand::job).toList().indexOf(job);
    }

    private static Role role(Demand demand, String name) {
        return demand.roles().stream()
                .filter(role -> role.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void leave(String job) {
        running.replaceAll(one -> one.job().equals(job)
                ? new Running(
                        one.job(),
                        one.user(),
                        one.cluster(),
                        one.priority(),
                        one.since(),
                        one.expectedEnd(),
                        one.preemptible(),
                        true,
                        one.tasks())
                : one);
    }

    /** It has ended, and nothing of it is left. */
    Scene ends(String job) {
        running.removeIf(one -> one.job().equals(job));
        return this;
    }

    Waiting waiting(String job) {
        return last.waiting().stream()
                .filter(one -> one.job().equals(job))
                .findFirst()
                .orElseThrow(() -> new AssertionError(job + " does not wait in " + last));
    }

    boolean runs(String job) {
        return running.stream().anyMatch(one -> one.job().equals(job));
    }

    List<String> started() {
        return last.starts().stream().map(Decisions.Start::job).toList();
    }

    List<Decisions.Place> places(String job) {
        return last.starts().stream()
                .filter(start -> start.job().equals(job))
                .flatMap(start -> start.places().stream())
                .toList();
    }
}
