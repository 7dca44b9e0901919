package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Instant;
import java.util.List;

/** A job on the machines, or one that will be. */
final class Tenant {

    /** What one or more of its tasks have of a node; -1: the node is gone, and only the quota knows of them. */
    record Stay(int node, int cpus, int memory, long mask) {}

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

    int devices() {
        return stays.stream().mapToInt(stay -> Long.bitCount(stay.mask())).sum();
    }
}
