package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Device;
import io.sluice.jobs.placement.Snapshot.Node;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The machines as numbers: nodes by their place in the list, the devices of a node as bits of one word. Never changes. */
final class Layout {
    /** Ascend boards whose halves nobody has told: four and four, as they are numbered. */
    private static final int HALF_BOARD = 4;

    final List<Node> nodes;
    final int size;
    final int[] cpus;
    final int[] memory;
    /** May anything start there. */
    final boolean[] open;
    /** Devices without a fault. */
    final long[] well;
    /** [node][type]. */
    final long[][] devices;
    /** [node]: devices of one type on the same half of a board, or else the same NUMA node. */
    final long[][] groups;

    final DeviceTypes types = new DeviceTypes();
    final boolean[] board;
    private final Map<String, Integer> byName = new HashMap<>();

    Layout(List<Node> nodes) {
        this.nodes = nodes;
        size = nodes.size();
        cpus = new int[size];
        memory = new int[size];
        open = new boolean[size];
        well = new long[size];
        devices = new long[size][];
        groups = new long[size][];
        int[][] typeOf = new int[size][];
        for (int node = 0; node < size; node++) {
            typeOf[node] = read(node, nodes.get(node));
        }
        board = new boolean[types.count()];
        for (int type = 0; type < board.length; type++) {
            board[type] = types.onBoard(type);
        }
        for (int node = 0; node < size; node++) {
            devices[node] = byType(typeOf[node]);
            groups[node] = groups(nodes.get(node).devices(), typeOf[node]);
        }
    }

    private int[] read(int node, Node from) {
        byName.put(from.name(), node);
        cpus[node] = from.cpus();
        memory[node] = from.memoryMB();
        open[node] = from.unschedulable() == null;
        int[] typeOf = new int[Math.min(from.devices().size(), Node.MOST_DEVICES)];
        Device last = null;
        for (int bit = 0; bit < typeOf.length; bit++) {
            Device device = from.devices().get(bit);
            well[node] |= device.fault() == null ? 1L << bit : 0;
            boolean alike = last != null
                    && device.type().equals(last.type())
                    && device.vendor().equals(last.vendor());
            typeOf[bit] = alike ? typeOf[bit - 1] : types.id(device.type(), device.vendor());
            last = device;
        }
        return typeOf;
    }

    private long[] byType(int[] typeOf) {
        long[] masks = new long[types.count()];
        for (int bit = 0; bit < typeOf.length; bit++) {
            masks[typeOf[bit]] |= 1L << bit;
        }
        return masks;
    }

    private long[] groups(List<Device> list, int[] typeOf) {
        List<Object> keys = new ArrayList<>();
        long[] masks = new long[typeOf.length];
        int[] ofType = new int[types.count()];
        for (int bit = 0; bit < typeOf.length; bit++) {
            int type = typeOf[bit];
            Object key = new Place(type, side(list.get(bit), board[type], ofType[type]++));
            int group = keys.indexOf(key);
            if (group < 0) {
                group = keys.size();
                keys.add(key);
            }
            masks[group] |= 1L << bit;
        }
        return Arrays.copyOf(masks, keys.size());
    }

    private static Object side(Device device, boolean board, int place) {
        if (device.half() != null) {
            return device.half();
        }
        return board ? place / HALF_BOARD : Objects.requireNonNullElse(device.numaNode(), -1);
    }

    private record Place(int type, Object side) {}

    /** -1: no such node. */
    int node(String name) {
        return byName.getOrDefault(name, -1);
    }

    /** The bits of those of these devices that the node has. */
    long mask(int node, List<String> ids) {
        List<Device> list = nodes.get(node).devices();
        long mask = 0;
        for (int bit = 0; bit < Math.min(list.size(), Node.MOST_DEVICES); bit++) {
            if (ids.contains(list.get(bit).id())) {
                mask |= 1L << bit;
            }
        }
        return mask;
    }

    List<String> ids(int node, long mask) {
        List<String> ids = new ArrayList<>(Long.bitCount(mask));
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            ids.add(nodes.get(node)
                    .devices()
                    .get(Long.numberOfTrailingZeros(rest))
                    .id());
        }
        return ids;
    }

    /** Devices of a type, whatever state they are in. */
    int total(int type) {
        int total = 0;
        for (long[] masks : devices) {
            total += Long.bitCount(masks[type]);
        }
        return total;
    }
}
