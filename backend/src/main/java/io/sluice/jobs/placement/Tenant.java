package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
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

    /** Room kept for a job from a time on; {@link Machines#NEVER}: nobody knows, then it is kept from now on. */
    static final class Claim {
        private final Demand demand;
        private final long start;
        /** Of its virtual cluster at that time, with it. */
        private final Quotas quotas;

        final int[] nodes;
        final Stay[] pieces;
        /** What is left beside it at that time. */
        final int[] slackCpus;

        final int[] slackMemory;

        /** The job as it will be. */
        final Tenant occupant;

        Claim(Demand demand, long start, Quotas quotas, List<Stay> pieces, Room beside) {
            this.demand = demand;
            Duration maxRun = demand.maxRun();
            long end = maxRun == null || start == Machines.NEVER ? Machines.NEVER : start + maxRun.toMillis();
            occupant = new Tenant(Tenant.running(demand, Instant.EPOCH), end, pieces, true);
            this.start = start;
            this.quotas = quotas;
            this.pieces = pieces.toArray(Stay[]::new);
            nodes = pieces.stream().mapToInt(Stay::node).toArray();
            slackCpus = Arrays.stream(nodes).map(node -> beside.cpus[node]).toArray();
            slackMemory = Arrays.stream(nodes).map(node -> beside.memory[node]).toArray();
        }

        Demand demand() {
            return demand;
        }

        long start() {
            return start;
        }

        Quotas quotas() {
            return quotas;
        }

        boolean isCollecting() {
            return start == Machines.NEVER;
        }

        /** Negative: nothing of that node. */
        int at(int node) {
            return Arrays.binarySearch(nodes, node);
        }
    }
}
