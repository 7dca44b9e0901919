package io.sluice.jobs.placement;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
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

        /** What is needed beside this plan. */
        Shape.Key rest(Shape.Key whole) {
            int[] left = shape.instances.clone();
            pieces.forEach(piece -> left[piece.role()] -= piece.tasks());
            return whole.with(left);
        }
    }

    private record Option(int node, int capacity, long waste) {}

    /** Below this a waste leaves nothing of a half. */
    private static final long FULL_HALF = 1L << 41;

    /** Of so many every way is looked at, up to so many looks. */
    private static final int FEW_TASKS = 64;

    private static final int MOST_LOOKS = 4_000;

    private static final Comparator<Option> FEW_NODES = Comparator.<Option>comparingInt(option -> -option.capacity)
            .thenComparingLong(Option::waste)
            .thenComparingInt(Option::node);

    private final Room room;
    private final Shape shape;
    private final Quotas quotas;
    private final @Nullable Room nearly;
    /** Anywhere will do: it is only asked whether it fits. */
    private final boolean anywhere;

    private int looks;
    private int[] types = {};
    private List<Piece> pieces = new ArrayList<>();

    private Packing(Room room, Shape shape, Quotas quotas, @Nullable Room nearly, boolean anywhere) {
        this.room = room;
        this.shape = shape;
        this.quotas = quotas;
        this.nearly = nearly;
        this.anywhere = anywhere;
    }

    /** Null: a gang does not fit as a whole, or not one task of any other job. */
    static @Nullable Plan place(Room room, Shape shape, Quotas quotas) {
        return new Packing(room, shape, quotas, null, false).best();
    }

    /** As {@link #place}, and rather where little has to end before: {@code nearly} is what is free now. */
    static @Nullable Plan collect(Room room, Shape shape, Quotas quotas, Room nearly) {
        return new Packing(room, shape, quotas, nearly, false).best();
    }

    static boolean fits(Room room, Shape shape, Quotas quotas) {
        Packing packing = new Packing(room, shape, quotas, null, true);
        if (shape.roles == 1) {
            return packing.hasPlaces(shape.gang ? shape.tasks : Math.min(1, shape.tasks));
        }
        Plan plan = packing.best();
        if (plan != null) {
            undo(plan, room, quotas);
        }
        return plan != null;
    }

    /** Whether there are so many places for the only role. */
    private boolean hasPlaces(int wanted) {
        for (int[] choice : shape.choices) {
            types = choice;
            int type = choice[0];
            int each = shape.devices[0];
            int allowed = quotas.most(wanted, shape.cpus[0], shape.memory[0], type, each);
            if (allowed == wanted && !room.isHopeless(type, each, shape.cpus[0], shape.memory[0])) {
                int slot = Room.slot(shape.cpus[0]);
                int found = each > 0
                        ? places(room.byDevices(type), each, wanted)
                        : places(room.byCpus(false), slot, wanted);
                if (each == 0 && found < wanted) {
                    found += places(room.byCpus(true), slot, wanted - found);
                }
                if (found >= wanted) {
                    return true;
                }
                if (found == 0) {
                    room.remember(type, each, shape.cpus[0], shape.memory[0]);
                }
            }
        }
        return false;
    }

    private int places(@Nullable BitSet[] shelf, int from, int wanted) {
        int found = 0;
        for (int slot = shelf.length - 1; slot >= from && found < wanted; slot--) {
            BitSet nodes = shelf[slot];
            for (int node = nodes == null ? -1 : nodes.nextSetBit(0); nodes != null && node >= 0 && found < wanted; ) {
                found += Math.min(wanted - found, capacity(node, 0));
                node = nodes.nextSetBit(node + 1);
            }
        }
        return found;
    }

    static void undo(Plan plan, Room room, Quotas quotas) {
        Shape shape = plan.shape();
        for (Piece piece : plan.pieces()) {
            int role = piece.role();
            room.restore(
                    piece.node(), piece.tasks() * shape.cpus[role], piece.tasks() * shape.memory[role], piece.mask());
            quotas.charge(-piece.tasks(), shape.cpus[role], shape.memory[role], plan.types[role], shape.devices[role]);
        }
    }

    private @Nullable Plan best() {
        for (int[] choice : choices()) {
            types = choice;
            for (int[] order : shape.orders) {
                pieces = new ArrayList<>();
                boolean whole = placeAll(order);
                Plan plan = new Plan(shape, types, pieces);
                if (whole || (!shape.gang && !pieces.isEmpty())) {
                    return plan;
                }
                undo(plan, room, quotas);
            }
            if (shape.gang && shape.roles > 1 && shape.tasks <= FEW_TASKS) {
                pieces = new ArrayList<>();
                looks = MOST_LOOKS;
                if (placeAnyWay(shape.orders.getFirst(), 0, 0, 0)) {
                    return new Plan(shape, types, pieces);
                }
            }
        }
        return null;
    }

    /** Roles can be in one another's way: tries every way of a small gang, as long as that does not take long. */
    private boolean placeAnyWay(int[] order, int index, int placed, int from) {
        if (index == order.length) {
            return true;
        }
        int role = order[index];
        int left = shape.instances[role] - placed;
        if (left == 0) {
            return placeAnyWay(order, index + 1, 0, 0);
        }
        int allowed = quotas.most(left, shape.cpus[role], shape.memory[role], types[role], shape.devices[role]);
        for (int node = from; allowed == left && node < room.layout.size && looks-- > 0; node++) {
            for (int tasks = room.usable.get(node) ? Math.min(left, capacity(node, role)) : 0; tasks > 0; tasks--) {
                take(role, node, tasks);
                if (placeAnyWay(order, index, placed + tasks, node + 1)) {
                    return true;
                }
                undo(new Plan(shape, types, List.of(pieces.removeLast())), room, quotas);
            }
        }
        return false;
    }

    /** Of more types that would do, the one that most are free of. */
    private List<int[]> choices() {
        if (shape.choices.size() == 1 || anywhere) {
            return shape.choices;
        }
        Map<Integer, Long> free = new HashMap<>();
        ToLongFunction<int[]> most = choice -> IntStream.of(choice)
                .filter(type -> type >= 0)
                .mapToLong(type -> free.computeIfAbsent(type, room::freeEverywhere))
                .sum();
        return shape.choices.stream()
                .sorted(Comparator.comparingLong(most).reversed())
                .toList();
    }

    private boolean placeAll(int[] order) {
        boolean whole = true;
        for (int role : order) {
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
        if (room.isHopeless(types[role], shape.devices[role], shape.cpus[role], shape.memory[role])) {
            return 0;
        }
        int placed;
        if (shape.devices[role] > 0) {
            placed = search(role, allowed, room.byDevices(types[role]), shape.devices[role]);
        } else {
            int slot = Room.slot(shape.cpus[role]);
            placed = search(role, allowed, room.byCpus(false), slot);
            if (placed < allowed) {
                placed += search(role, allowed - placed, room.byCpus(true), slot);
            }
        }
        if (placed == 0 && pieces.isEmpty()) {
            room.remember(types[role], shape.devices[role], shape.cpus[role], shape.memory[role]);
        }
        return placed;
    }

    /** From the nodes with least left to those with most. One node for all is best, and then the tightest. */
    private int search(int role, int wanted, @Nullable BitSet[] shelf, int from) {
        List<Option> few = new ArrayList<>();
        Option best = null;
        for (int slot = from; slot < shelf.length && !isTight(best, role); slot++) {
            BitSet nodes = shelf[slot];
            for (int node = nodes == null ? -1 : nodes.nextSetBit(0); nodes != null && node >= 0; ) {
                int capacity = Math.min(wanted, capacity(node, role));
                if (capacity == wanted) {
                    long waste = anywhere ? 0 : waste(node, role, capacity);
                    best = best == null || waste < best.waste ? new Option(node, capacity, waste) : best;
                    if (anywhere) {
                        break;
                    }
                } else if (capacity > 0 && best == null) {
                    few.add(new Option(node, capacity, anywhere ? 0 : waste(node, role, capacity)));
                }
                node = nodes.nextSetBit(node + 1);
            }
        }
        if (best != null) {
            take(role, best.node, wanted);
            return wanted;
        }
        return spread(role, wanted, few);
    }

    /** Whether no node with more left fits better. On boards the half counts first: a fuller node may have an emptier one. */
    private boolean isTight(@Nullable Option best, int role) {
        boolean board = types[role] >= 0 && room.layout.board[types[role]];
        return best != null && nearly == null && (anywhere || !board || best.waste < FULL_HALF);
    }

    /** On as few nodes as possible, and the last of them the tightest. */
    private int spread(int role, int wanted, List<Option> options) {
        int left = wanted;
        if (!anywhere) {
            options.sort(FEW_NODES);
        }
        for (int next = 0; next < options.size() && left > 0; next++) {
            int last = left;
            Option option = options.get(next);
            if (option.capacity >= last && !anywhere) {
                option = options.subList(next, options.size()).stream()
                        .filter(other -> other.capacity >= last)
                        .min(Comparator.comparingLong(other -> waste(other.node, role, last)))
                        .orElse(option);
            }
            int tasks = Math.min(left, option.capacity);
            take(role, option.node, tasks);
            left -= tasks;
        }
        return wanted - left;
    }

    private int capacity(int node, int role) {
        int cpu = shape.cpus[role];
        int memory = shape.memory[role];
        if (room.cpus[node] < cpu || room.memory[node] < memory) {
            return 0;
        }
        int most = Math.min(
                cpu == 0 ? Integer.MAX_VALUE : room.cpus[node] / cpu,
                memory == 0 ? Integer.MAX_VALUE : room.memory[node] / memory);
        return shape.devices[role] == 0 ? most : Math.min(most, room.capacity(node, types[role], shape.devices[role]));
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
        return shape.devices[shape.orders.getFirst()[0]] > 0
                ? Long.bitCount(room.devices[node] & ~nearly.devices[node] & room.layout.well[node])
                : Math.max(0, Math.min(0x3fff, room.cpus[node] - nearly.cpus[node]));
    }

    private void take(int role, int node, int tasks) {
        List<Long> masks = new ArrayList<>(tasks);
        int each = shape.devices[role];
        long together = together(role, node, tasks);
        for (int task = 0; task < tasks; task++) {
            long mask = each == 0
                    ? 0
                    : together == 0 ? room.pick(node, types[role], each, nearly) : Room.lowest(together, each);
            together &= ~mask;
            room.take(node, shape.cpus[role], shape.memory[role], mask);
            masks.add(mask);
        }
        quotas.charge(tasks, shape.cpus[role], shape.memory[role], types[role], shape.devices[role]);
        pieces.add(new Piece(role, node, tasks, masks));
    }

    /** Tasks of a job speak with one another as the devices of one task do: where a half has room for all of them they share it; 0: none has. */
    private long together(int role, int node, int tasks) {
        int type = types[role];
        int all = shape.devices[role] * tasks;
        return tasks > 1 && all > 0 && room.layout.board[type] && room.capacity(node, type, all) > 0
                ? room.pick(node, type, all, nearly)
                : 0;
    }
}
