package io.sluice.jobs.placement;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds places for the tasks of one job: few nodes, and the tightest fit, so that whole halves and whole nodes stay free.
 * What it places is taken from the room and the quota until it is undone.
 */
final class Packing {

    /** So many tasks of a role on a node, with devices for all of them. */
    record Piece(int role, int node, int tasks, List<Long> masks) {
        long mask() {
            long all = 0;
            for (long mask : masks) {
                all |= mask;
            }
            return all;
        }
    }

    /** Where a job goes. */
    static final class Plan {
        private final Shape shape;
        private final int[] types;
        private final List<Piece> pieces;

        private Plan(Shape shape, int[] types, List<Piece> pieces) {
            this.shape = shape;
            this.types = types;
            this.pieces = pieces;
        }

        Shape shape() {
            return shape;
        }

        List<Piece> pieces() {
            return pieces;
        }

        void charge(Quotas quotas) {
            for (Piece piece : pieces) {
                int role = piece.role();
                quotas.charge(piece.tasks(), shape.cpus[role], shape.memory[role], types[role], shape.devices[role]);
            }
        }

        int tasks() {
            return pieces.stream().mapToInt(Piece::tasks).sum();
        }

        boolean isWhole() {
            return tasks() == shape.tasks();
        }
    }

    private record Option(int node, int capacity, long waste) {}

    private static final Comparator<Option> FEW_NODES = Comparator.<Option>comparingInt(option -> -option.capacity)
            .thenComparingLong(Option::waste)
            .thenComparingInt(Option::node);

    private final Room room;
    private final Shape shape;
    private final Quotas quotas;
    private final @Nullable Room nearly;
    private int[] types = {};
    private List<Piece> pieces = new ArrayList<>();

    private Packing(Room room, Shape shape, Quotas quotas, @Nullable Room nearly) {
        this.room = room;
        this.shape = shape;
        this.quotas = quotas;
        this.nearly = nearly;
    }

    /** Null: a gang does not fit as a whole, or not one task of any other job. */
    static @Nullable Plan place(Room room, Shape shape, Quotas quotas) {
        return new Packing(room, shape, quotas, null).best();
    }

    /** As {@link #place}, and rather where little has to end before: {@code nearly} is what is free now. */
    static @Nullable Plan collect(Room room, Shape shape, Quotas quotas, Room nearly) {
        return new Packing(room, shape, quotas, nearly).best();
    }

    static boolean fits(Room room, Shape shape, Quotas quotas) {
        Plan plan = place(room, shape, quotas);
        if (plan != null) {
            undo(plan, room, quotas);
        }
        return plan != null;
    }

    static void undo(Plan plan, Room room, Quotas quotas) {
        Shape shape = plan.shape();
        for (Piece piece : plan.pieces()) {
            int role = piece.role();
            room.give(piece.node(), piece.tasks() * shape.cpus[role], piece.tasks() * shape.memory[role], piece.mask());
            quotas.charge(-piece.tasks(), shape.cpus[role], shape.memory[role], plan.types[role], shape.devices[role]);
        }
    }

    private @Nullable Plan best() {
        for (int[] choice : shape.choices) {
            types = choice;
            pieces = new ArrayList<>();
            boolean whole = placeAll();
            Plan plan = new Plan(shape, types, pieces);
            if (whole || (!shape.gang && !pieces.isEmpty())) {
                return plan;
            }
            undo(plan, room, quotas);
        }
        return null;
    }

    private boolean placeAll() {
        boolean whole = true;
        for (int role : shape.order) {
            int placed = placeRole(role);
            whole &= placed == shape.instances[role];
            if (!whole && shape.gang) {
                return false;
            }
        }
        return whole;
    }

    private int placeRole(int role) {
        int wanted = shape.instances[role];
        int allowed = quotas.most(wanted, shape.cpus[role], shape.memory[role], types[role], shape.devices[role]);
        if (allowed == 0 || (shape.gang && allowed < wanted)) {
            return 0;
        }
        int placed = 0;
        if (shape.devices[role] > 0) {
            placed = spread(role, allowed, deviceOptions(role, allowed));
        } else {
            placed = spread(role, allowed, cpuOptions(role, allowed, false));
            if (placed < allowed) {
                placed += spread(role, allowed - placed, cpuOptions(role, allowed - placed, true));
            }
        }
        return placed;
    }

    /** One node for all if there is one, otherwise as few as possible, and the last of them the tightest. */
    private int spread(int role, int wanted, List<Option> options) {
        int left = wanted;
        options.sort(FEW_NODES);
        for (int next = 0; next < options.size() && left > 0; next++) {
            Option option = options.get(next);
            for (int other = next + 1; other < options.size() && options.get(other).capacity >= left; other++) {
                if (waste(options.get(other), role, left) < waste(option, role, left)) {
                    option = options.get(other);
                }
            }
            int tasks = Math.min(left, option.capacity);
            take(role, option.node, tasks);
            left -= tasks;
        }
        return wanted - left;
    }

    private List<Option> deviceOptions(int role, int wanted) {
        List<Option> options = new ArrayList<>();
        int each = shape.devices[role];
        for (int count = each; count <= Snapshot.Node.MOST_DEVICES; count++) {
            if (addOptions(options, room.withDevices(types[role], count), role, wanted) && nearly == null) {
                break;
            }
        }
        return options;
    }

    private List<Option> cpuOptions(int role, int wanted, boolean onDeviceNodes) {
        List<Option> options = new ArrayList<>();
        for (int slot = Room.slot(shape.cpus[role]); slot < Room.slots(); slot++) {
            if (addOptions(options, room.withCpus(onDeviceNodes, slot), role, wanted) && nearly == null) {
                break;
            }
        }
        return options;
    }

    /** Whether one of these nodes takes all: nodes with more left would fit less tightly. */
    private boolean addOptions(List<Option> options, @Nullable BitSet nodes, int role, int wanted) {
        if (nodes == null) {
            return false;
        }
        boolean enough = false;
        for (int node = nodes.nextSetBit(0); node >= 0; node = nodes.nextSetBit(node + 1)) {
            int capacity = Math.min(wanted, capacity(node, role));
            if (capacity > 0) {
                options.add(new Option(node, capacity, waste(node, role, capacity)));
                enough |= capacity == wanted;
            }
        }
        return enough;
    }

    private int capacity(int node, int role) {
        int cpu = shape.cpus[role];
        int memory = shape.memory[role];
        int most = Math.min(
                cpu == 0 ? Integer.MAX_VALUE : room.cpus[node] / cpu,
                memory == 0 ? Integer.MAX_VALUE : room.memory[node] / memory);
        return shape.devices[role] == 0 ? most : Math.min(most, room.capacity(node, types[role], shape.devices[role]));
    }

    private long waste(Option option, int role, int tasks) {
        return tasks >= option.capacity ? option.waste : waste(option.node, role, tasks);
    }

    /** What is left of the node, and how much has to end there first; devices count before processors, those before memory. */
    private long waste(int node, int role, int tasks) {
        int type = types[role];
        int each = shape.devices[role];
        long rest = each == 0 ? Long.bitCount(room.devices[node]) : room.waste(node, type, each, tasks);
        long cpus = Math.max(0, room.cpus[node] - (long) tasks * shape.cpus[role]);
        long memory = Math.max(0, room.memory[node] - (long) tasks * shape.memory[role]) >> 10;
        long missing = nearly == null ? 0 : missing(nearly, node);
        return (missing << 48) + (rest << 34) + (Math.min(cpus, 0x3fff) << 20) + Math.min(memory, 0xfffff);
    }

    private long missing(Room nearly, int node) {
        return shape.devices[shape.order[0]] > 0
                ? Long.bitCount(room.devices[node] & ~nearly.devices[node] & room.layout.well[node])
                : Math.max(0, Math.min(0x3fff, room.cpus[node] - nearly.cpus[node]));
    }

    private void take(int role, int node, int tasks) {
        List<Long> masks = new ArrayList<>(tasks);
        for (int task = 0; task < tasks; task++) {
            long mask = shape.devices[role] == 0 ? 0 : room.pick(node, types[role], shape.devices[role], nearly);
            room.take(node, shape.cpus[role], shape.memory[role], mask);
            masks.add(mask);
        }
        quotas.charge(tasks, shape.cpus[role], shape.memory[role], types[role], shape.devices[role]);
        pieces.add(new Piece(role, node, tasks, masks));
    }
}
