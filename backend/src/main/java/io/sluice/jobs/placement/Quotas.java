package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Tenths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a virtual cluster may use, and uses. */
final class Quotas {
    private static final long UNLIMITED = Long.MAX_VALUE;

    /** What a limit is on; {@code type} empty for processors, in tenths, and memory. */
    record Limit(Waiting.Resource resource, String type, long most, BitSet types) {}

    final String name;
    final boolean stopped;
    final List<Limit> limits = new ArrayList<>();
    private final long[] used;
    /** Everything that is used, by processors, memory and types, whether limited or not. */
    private final long[] parts;

    private final long[] wholes;

    private Quotas(Quotas from) {
        name = from.name;
        stopped = from.stopped;
        limits.addAll(from.limits);
        used = from.used.clone();
        parts = from.parts.clone();
        wholes = from.wholes;
    }

    Quotas(Cluster cluster, Layout layout) {
        name = cluster.name();
        stopped = cluster.stopped();
        BitSet none = new BitSet();
        if (cluster.cpus() != null) {
            limits.add(new Limit(Waiting.Resource.CPU, "", Tenths.of(cluster.cpus()), none));
        }
        if (cluster.memoryMB() != null) {
            limits.add(new Limit(Waiting.Resource.MEMORY_MB, "", cluster.memoryMB(), none));
        }
        Map<String, Integer> devices = cluster.devices() == null ? Map.of() : cluster.devices();
        new TreeMap<>(devices).forEach((type, most) -> limits.add(device(type, most, layout)));
        used = new long[limits.size()];
        parts = new long[2 + layout.types.count()];
        wholes = new long[parts.length];
        wholes[0] = Arrays.stream(layout.cpus).asLongStream().sum();
        wholes[1] = Arrays.stream(layout.memory).asLongStream().sum();
        for (int type = 0; type < layout.types.count(); type++) {
            wholes[2 + type] = layout.total(type);
        }
    }

    private static Limit device(String name, int most, Layout layout) {
        BitSet covered = new BitSet();
        for (int type : layout.types.named(name)) {
            covered.set(type);
        }
        return new Limit(Waiting.Resource.DEVICE, name, most, covered);
    }

    /** Of a virtual cluster that has none. */
    static Quotas unlimited(String name, Layout layout) {
        return new Quotas(new Cluster(name, null, null, null, false), layout);
    }

    Quotas copy() {
        return new Quotas(this);
    }

    /** With as much used as here or there, whichever is more. */
    Quotas beside(Quotas other) {
        Quotas both = copy();
        for (int index = 0; index < used.length; index++) {
            both.used[index] = Math.max(used[index], other.used[index]);
        }
        return both;
    }

    /** How many tasks may still start, up to so many. */
    int most(int wanted, int cpus, int memory, int type, int devices) {
        long most = wanted;
        for (int index = 0; index < used.length; index++) {
            long each = amount(limits.get(index), cpus, memory, type, devices);
            if (each > 0) {
                most = Math.min(most, (limits.get(index).most() - used[index]) / each);
            }
        }
        return (int) Math.max(0, most);
    }

    /** Negative tasks give back. */
    void charge(int tasks, int cpus, int memory, int type, int devices) {
        for (int index = 0; index < used.length; index++) {
            used[index] += tasks * amount(limits.get(index), cpus, memory, type, devices);
        }
        parts[0] += (long) tasks * cpus;
        parts[1] += (long) tasks * memory;
        if (type >= 0) {
            parts[2 + type] += (long) tasks * devices;
        }
    }

    /** Whether a plain gang, or one task of another plain job, is within the quota. */
    boolean allows(Shape shape, boolean whenEmpty) {
        int[] types = shape.choices.getFirst();
        for (int index = 0; index < used.length; index++) {
            Limit limit = limits.get(index);
            long most = whenEmpty ? limit.most() : limit.most() - used[index];
            long needed = shape.gang ? shape.needs(limit, types) : shape.perTask(limit, types);
            if (needed > 0 && needed > most) {
                return false;
            }
        }
        return true;
    }

    static long amount(Limit limit, int cpus, int memory, int type, int devices) {
        return switch (limit.resource()) {
            case CPU -> cpus;
            case MEMORY_MB -> memory;
            case DEVICE -> type >= 0 && limit.types().get(type) ? devices : 0;
        };
    }

    long used(int limit) {
        return used[limit];
    }

    /** Forgets what is used. */
    Quotas emptied() {
        Quotas empty = copy();
        Arrays.fill(empty.used, 0);
        return empty;
    }

    /** The largest part used of anything: of its quota, or of all machines where it has none. */
    double share() {
        double share = 0;
        for (int index = 0; index < used.length; index++) {
            share = Math.max(share, part(used[index], limits.get(index).most()));
        }
        for (int index = 0; index < parts.length; index++) {
            if (!limited(index)) {
                share = Math.max(share, part(parts[index], wholes[index]));
            }
        }
        return share;
    }

    private boolean limited(int part) {
        for (Limit limit : limits) {
            boolean covers = switch (limit.resource()) {
                case CPU -> part == 0;
                case MEMORY_MB -> part == 1;
                case DEVICE -> part >= 2 && limit.types().get(part - 2);
            };
            if (covers) {
                return true;
            }
        }
        return false;
    }

    private static double part(long used, long whole) {
        return used <= 0 ? 0 : whole <= 0 ? UNLIMITED : (double) used / whole;
    }
}
