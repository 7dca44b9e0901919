package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Tenths;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What may be used of the machines, as one kind of job sees it. Nodes are also kept by how many devices and processors they
 * have left, so that the tightest fit is found without looking at all of them. Devices of a node go together as their board
 * allows, Ascend: 1, 2 or 4 within one half, or all 8 of the node; others near one another where that is known. Groups that
 * are in use are filled up first.
 */
final class Room {
    private static final int MOST_CPUS = 511;
    static final int WHOLE_BOARD = 8;

    final Layout layout;
    final int[] cpus;
    final int[] memory;
    final long[] devices;
    final BitSet usable;
    /** What has no place anywhere, however few else start: devices, processors and memory, by type. */
    private final Map<Integer, List<int[]>> hopeless = new HashMap<>();

    private final @Nullable BitSet[][] byDevices;
    private final @Nullable BitSet[][] byCpus;

    /** With nothing used; {@code ideal}: and everything in service. */
    static Room empty(Layout layout, boolean ideal) {
        BitSet usable = new BitSet(layout.size);
        long[] devices = new long[layout.size];
        for (int node = 0; node < layout.size; node++) {
            usable.set(node, ideal || layout.open[node]);
            devices[node] = ideal ? -1L : layout.well[node];
        }
        return new Room(layout, usable, layout.cpus.clone(), layout.memory.clone(), devices);
    }

    private Room(Layout layout, BitSet usable, int[] cpus, int[] memory, long[] devices) {
        this.layout = layout;
        this.usable = usable;
        this.cpus = cpus;
        this.memory = memory;
        this.devices = devices;
        this.byDevices = new BitSet[layout.types.count()][Snapshot.Node.MOST_DEVICES + 1];
        this.byCpus = new BitSet[2][MOST_CPUS + 1];
        usable.stream().forEach(node -> file(node, true));
    }

    Room copy() {
        return new Room(layout, usable, cpus.clone(), memory.clone(), devices.clone());
    }

    /** Free devices of a type. */
    long free(int node, int type) {
        return devices[node] & layout.devices[node][type];
    }

    void put(int node, int cpusLeft, int memoryLeft, long devicesLeft) {
        boolean moves = usable.get(node) && (devices[node] != devicesLeft || slot(cpus[node]) != slot(cpusLeft));
        if (moves) {
            file(node, false);
        }
        cpus[node] = cpusLeft;
        memory[node] = memoryLeft;
        devices[node] = devicesLeft;
        if (moves) {
            file(node, true);
        }
    }

    void take(int node, int cpu, int memoryMB, long mask) {
        put(node, cpus[node] - cpu, memory[node] - memoryMB, devices[node] & ~mask);
    }

    /** What was taken by a try is there again. */
    void restore(int node, int cpu, int memoryMB, long mask) {
        put(node, cpus[node] + cpu, memory[node] + memoryMB, devices[node] | mask);
    }

    /** There is more than before. */
    void give(int node, int cpu, int memoryMB, long mask) {
        hopeless.clear();
        restore(node, cpu, memoryMB, mask);
    }

    boolean isHopeless(int type, int count, int cpu, int memoryMB) {
        List<int[]> known = hopeless.get(type);
        if (known != null) {
            for (int[] one : known) {
                if (one[0] <= count && one[1] <= cpu && one[2] <= memoryMB) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Of a count that a board does not allow nothing follows for a larger one: 3 never fit where 4 do. */
    void remember(int type, int count, int cpu, int memoryMB) {
        if (type >= 0 && layout.board[type] && !allows(count)) {
            return;
        }
        List<int[]> known = hopeless.computeIfAbsent(type, any -> new ArrayList<>());
        known.removeIf(one -> one[0] >= count && one[1] >= cpu && one[2] >= memoryMB);
        known.add(new int[] {count, cpu, memoryMB});
    }

    long freeEverywhere(int type) {
        long free = 0;
        for (int count = 1; count < byDevices[type].length; count++) {
            BitSet nodes = byDevices[type][count];
            free += nodes == null ? 0 : (long) count * nodes.cardinality();
        }
        return free;
    }

    /** Usable nodes by the number of their free devices of a type. */
    @Nullable
    BitSet[] byDevices(int type) {
        return byDevices[type];
    }

    /** Usable nodes by the number of their free processors; the last place is for that many and more. */
    @Nullable
    BitSet[] byCpus(boolean onDeviceNodes) {
        return byCpus[onDeviceNodes ? 1 : 0];
    }

    static int slot(int cpu) {
        return (int) Math.max(0, Math.min(Tenths.down(cpu), MOST_CPUS));
    }

    private void file(int node, boolean in) {
        long[] types = layout.devices[node];
        boolean any = false;
        for (int type = 0; type < types.length; type++) {
            if (types[type] != 0) {
                any = true;
                mark(byDevices[type], Long.bitCount(devices[node] & types[type]), node, in);
            }
        }
        mark(byCpus[any ? 1 : 0], slot(cpus[node]), node, in);
    }

    private void mark(@Nullable BitSet[] shelf, int slot, int node, boolean in) {
        BitSet nodes = shelf[slot];
        if (nodes == null) {
            nodes = new BitSet(layout.size);
            shelf[slot] = nodes;
        }
        nodes.set(node, in);
    }

    static boolean allows(int count) {
        return count == 1 || count == 2 || count == 4 || count == WHOLE_BOARD;
    }

    /** How many tasks with so many devices each fit. */
    int capacity(int node, int type, int each) {
        long free = free(node, type);
        if (!layout.board[type]) {
            return Long.bitCount(free) / each;
        }
        if (each == WHOLE_BOARD) {
            return isWhole(node, type, free) ? 1 : 0;
        }
        int capacity = 0;
        if (allows(each)) {
            for (long group : layout.groups[node]) {
                capacity += Long.bitCount(free & group) / each;
            }
        }
        return capacity;
    }

    private boolean isWhole(int node, int type, long free) {
        return Long.bitCount(free) == WHOLE_BOARD && Long.bitCount(layout.devices[node][type]) == WHOLE_BOARD;
    }

    /** Devices left in the group that one task goes to, before those left on the node. */
    long waste(int node, int type, int each, int tasks) {
        long free = free(node, type);
        int left = Long.bitCount(free) - each * tasks;
        int inGroup = 0;
        if (tasks == 1) {
            int group = tightest(layout.groups[node], free, each);
            inGroup = group < 0 ? 0 : Long.bitCount(layout.groups[node][group] & free) - each;
        }
        return layout.board[type] ? ((long) inGroup << 7) + left : ((long) left << 7) + inGroup;
    }

    /** Devices for one task; there are enough. */
    long pick(int node, int type, int each, @Nullable Room nearly) {
        long free = free(node, type);
        long soon = nearly == null ? free : free & nearly.devices[node];
        long[] groups = layout.groups[node];
        int group = tightest(groups, soon, each);
        if (group >= 0) {
            return lowest(groups[group] & soon, each);
        }
        group = nearly == null ? -1 : fullest(groups, free, soon, each);
        return group >= 0 ? best(groups[group] & free, soon, each) : across(groups, free, soon, each);
    }

    /** The group with the fewest free devices that are enough; -1: none. */
    private static int tightest(long[] groups, long free, int each) {
        int best = -1;
        int least = Integer.MAX_VALUE;
        for (int group = 0; group < groups.length; group++) {
            int count = Long.bitCount(groups[group] & free);
            if (count >= each && count < least) {
                best = group;
                least = count;
            }
        }
        return best;
    }

    /** Of the groups with enough devices the one with most that are free soon; -1: none. */
    private static int fullest(long[] groups, long free, long soon, int each) {
        int best = -1;
        int most = -1;
        for (int group = 0; group < groups.length; group++) {
            int count = Long.bitCount(groups[group] & soon);
            if (Long.bitCount(groups[group] & free) >= each && count > most) {
                best = group;
                most = count;
            }
        }
        return best;
    }

    /** As few groups as possible: the largest whole, the rest from the tightest. */
    private static long across(long[] groups, long free, long soon, int each) {
        long picked = 0;
        while (Long.bitCount(picked) < each) {
            int missing = each - Long.bitCount(picked);
            long rest = free & ~picked;
            int group = tightest(groups, rest, missing);
            if (group < 0) {
                group = fullest(groups, rest, rest, 1);
            }
            long from = groups[group] & rest;
            picked |= best(from, soon, Math.min(missing, Long.bitCount(from)));
        }
        return picked;
    }

    private static long best(long from, long soon, int count) {
        long first = lowest(from & soon, Math.min(count, Long.bitCount(from & soon)));
        return first | lowest(from & ~soon, count - Long.bitCount(first));
    }

    static long lowest(long from, int count) {
        long picked = 0;
        long rest = from;
        for (int taken = 0; taken < count; taken++) {
            picked |= Long.lowestOneBit(rest);
            rest &= rest - 1;
        }
        return picked;
    }
}
