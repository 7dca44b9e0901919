package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A job on the machines, or one that will be. */
final class Tenant {

    /** What one or more of its tasks have of a node; -1: the node is gone, and only the quota knows of them. */
    record Stay(int node, int cpus, int memory, long mask) {}

    /** Those on the machines are kept so, which makes it quick to put them in order again. */
    static final Comparator<Tenant> SOONEST =
            Comparator.<Tenant>comparingLong(tenant -> tenant.end).thenComparing(tenant -> tenant.job.job());

    final Running job;
    final List<Stay> stays;
    /** Not here yet: what is kept for it becomes free when it ends. */
    final boolean expected;
    /** {@link Machines#NEVER}: nobody knows. */
    long end;

    Tenant(Running job, long end, List<Stay> stays, boolean expected) {
        this.job = job;
        this.end = end;
        this.stays = stays;
        this.expected = expected;
    }

    /** The job as it runs from a time on; in the pass that starts it nobody asks it to go. */
    static Running running(Demand demand, Instant since) {
        return new Running(
                demand.job(),
                demand.user(),
                demand.cluster(),
                demand.priority(),
                since,
                demand.maxRun() == null ? null : since.plus(demand.maxRun()),
                false,
                false,
                List.of());
    }

    /** Of no virtual cluster: what it holds counts against no quota. */
    static Running nobody(Instant since) {
        return new Running("", "", "", 0, since, null, false, true, List.of());
    }

    int devices() {
        return stays.stream().mapToInt(stay -> Long.bitCount(stay.mask())).sum();
    }

    /** Who goes when, the soonest first. */
    static final class Ends {
        final List<Tenant> tenants;
        /** Each: how many have gone at one of the ends, from none to all. */
        final int[] gone;

        Ends(Stream<Tenant> all) {
            tenants = all.filter(tenant -> tenant.end != Machines.NEVER)
                    .sorted(SOONEST)
                    .toList();
            gone = IntStream.rangeClosed(0, tenants.size())
                    .filter(count -> count == 0
                            || count == tenants.size()
                            || tenants.get(count - 1).end != tenants.get(count).end)
                    .toArray();
        }
    }
}
