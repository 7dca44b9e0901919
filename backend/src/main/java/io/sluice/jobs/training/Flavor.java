package io.sluice.jobs.training;

import io.sluice.jobs.drafts.JobText.Size;
import io.sluice.jobs.images.DeviceKind;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * So many devices of a kind, with the part of a machine's processors and memory that goes with them.
 *
 * @param machines that have as much
 * @param free how many tasks of it could begin now, as far as devices go
 */
public record Flavor(Size size, DeviceKind kind, int machines, int free) {
    private static final int GIB = 1024;
    private static final List<Integer> COUNTS = List.of(1, 2, 4, 8, 16);
    /** Of a machine's processors, for tasks without devices. */
    private static final List<Integer> PARTS = List.of(8, 4, 2, 1);

    /** Stands in forms; the same as long as there are such machines. */
    public String id() {
        return size.devices() == 0 ? "cpu*" + size.cpus() : size.type() + "*" + size.devices();
    }

    /** Those that machines offer, devices first. */
    static List<Flavor> of(Snapshot machines) {
        List<Node> nodes = machines.nodes().stream()
                .filter(node -> node.unschedulable() == null)
                .toList();
        Map<String, Set<String>> held = held(machines);
        List<Flavor> all = new ArrayList<>();
        Map<String, DeviceKind> kinds = new TreeMap<>();
        nodes.stream()
                .flatMap(node -> node.devices().stream())
                .forEach(device -> kinds.putIfAbsent(device.type(), DeviceKind.ofVendor(device.vendor())));
        kinds.forEach((type, kind) -> {
            var offer = Placement.offer(machines, type);
            for (int count : counts(offer)) {
                Flavor flavor = of(nodes, held, type, kind, count);
                // more than each of those that take jobs now has
                if (flavor.machines() > 0) {
                    all.add(flavor);
                }
            }
        });
        all.addAll(plain(nodes));
        return all;
    }

    /** By machine. */
    private static Map<String, Set<String>> held(Snapshot machines) {
        Map<String, Set<String>> held = new HashMap<>();
        machines.running().stream()
                .flatMap(job -> job.tasks().stream())
                .forEach(task -> held.computeIfAbsent(task.node(), none -> new HashSet<>())
                        .addAll(task.devices()));
        return held;
    }

    /** Boards join 1, 2, 4 or 8; of other devices all of a machine's may be wanted, too. */
    private static Set<Integer> counts(Placement.Offer offer) {
        Set<Integer> counts = new TreeSet<>(
                COUNTS.stream().filter(count -> count <= offer.most()).toList());
        if (!offer.boards() && offer.most() > 0) {
            counts.add(offer.most());
        }
        return counts;
    }

    /** As much beside the devices as each of the machines has for them. */
    private static Flavor of(List<Node> nodes, Map<String, Set<String>> held, String type, DeviceKind kind, int count) {
        int cpus = Integer.MAX_VALUE;
        int memoryMB = Integer.MAX_VALUE;
        int machines = 0;
        int free = 0;
        for (Node node : nodes) {
            List<Device> well = node.devices().stream()
                    .filter(device -> device.fault() == null && device.type().equals(type))
                    .toList();
            if (well.size() >= count) {
                machines++;
                cpus = Math.min(cpus, part(node.cpus(), count, node.devices().size()));
                memoryMB = Math.min(
                        memoryMB, part(node.memoryMB(), count, node.devices().size()));
                free += (int) (well.stream()
                                .filter(device -> device.checking() == null
                                        && !held.getOrDefault(node.name(), Set.of())
                                                .contains(device.id()))
                                .count()
                        / count);
            }
        }
        return new Flavor(new Size(Math.max(1, cpus), whole(memoryMB), count, type), kind, machines, free);
    }

    private static int part(int all, int count, int of) {
        return (int) ((long) all * count / of);
    }

    /** In GiB, as far as there are any. */
    private static int whole(int memoryMB) {
        return memoryMB < GIB ? memoryMB : memoryMB / GIB * GIB;
    }

    private static List<Flavor> plain(List<Node> nodes) {
        int cpus = nodes.stream().mapToInt(Node::cpus).max().orElse(0);
        if (cpus == 0) {
            return List.of();
        }
        int memoryMB = nodes.stream()
                .filter(node -> node.cpus() == cpus)
                .mapToInt(Node::memoryMB)
                .min()
                .orElse(GIB);
        Set<Integer> counts = new TreeSet<>();
        PARTS.forEach(part -> counts.add(Math.max(1, cpus / part)));
        return counts.stream()
                .map(count -> new Flavor(
                        new Size(count, whole(part(memoryMB, count, cpus)), 0, null),
                        DeviceKind.ANY,
                        (int) nodes.stream()
                                .filter(node -> node.cpus() >= count)
                                .count(),
                        nodes.stream()
                                .flatMapToInt(node -> IntStream.of(node.cpus() / count))
                                .sum()))
                .toList();
    }
}
