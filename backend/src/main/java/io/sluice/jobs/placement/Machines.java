package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Packing.Piece;
import io.sluice.jobs.placement.Packing.Plan;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Running;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Who is on the machines during a pass, what is kept for whom, and what is left for a given job. */
final class Machines {
    static final long NEVER = Long.MAX_VALUE;
    /** What is kept is told apart by the bits of one word. */
    private static final int MOST_CLAIMS = 63;

    /** A job on the machines. Of a task whose node is gone nothing is left here but its processors and memory. */
    static final class Tenant {
        private final Running job;
        private final List<Stay> stays;
        private long end;

        Tenant(Running job, long end, List<Stay> stays) {
            this.job = job;
            this.end = end;
            this.stays = stays;
        }

        Running job() {
            return job;
        }

        List<Stay> stays() {
            return stays;
        }

        long end() {
            return end;
        }
    }

    /** Node -1: it is gone. */
    record Stay(int node, int cpus, int memory, long mask) {}

    /** Room kept for a job from a time on; {@link #NEVER}: nobody knows, then it is kept from now on. */
    static final class Claim {
        private final Demand demand;
        private final long start;
        /** Of its virtual cluster at that time, with it. */
        private final Quotas quotas;

        private final int[] nodes;
        private final Stay[] pieces;
        /** What is left beside it at that time. */
        private final int[] slackCpus;

        private final int[] slackMemory;

        private Claim(Demand demand, long start, Quotas quotas, List<Stay> pieces, Room beside) {
            this.demand = demand;
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
            return start == NEVER;
        }

        /** Negative: nothing of that node. */
        private int at(int node) {
            return Arrays.binarySearch(nodes, node);
        }
    }

    final Layout layout;
    final long now;
    final Room free;
    final List<Tenant> tenants = new ArrayList<>();
    final List<Claim> claims = new ArrayList<>();
    private @Nullable List<Tenant> byEnd;
    private final Map<Long, Room> views = new HashMap<>();

    Machines(Snapshot snapshot, Layout layout) {
        this.layout = layout;
        now = snapshot.now().toEpochMilli();
        free = Room.empty(layout, false);
        for (Running job : snapshot.running()) {
            List<Stay> stays = job.tasks().stream().map(this::stay).toList();
            tenants.add(new Tenant(job, end(job), stays));
            stays.stream()
                    .filter(stay -> stay.node() >= 0)
                    .forEach(stay -> free.take(stay.node(), stay.cpus(), stay.memory(), stay.mask()));
        }
    }

    private long end(Running job) {
        if (job.leaving()) {
            return now + 1;
        }
        return job.expectedEnd() == null
                ? NEVER
                : Math.max(now + 1, job.expectedEnd().toEpochMilli());
    }

    private Stay stay(Held held) {
        int node = layout.node(held.node());
        return new Stay(node, held.cpus(), held.memoryMB(), node < 0 ? 0 : layout.mask(node, held.devices()));
    }

    long endOf(Demand demand) {
        return demand.maxRun() == null ? NEVER : now + demand.maxRun().toMillis();
    }

    void charge(Tenant tenant, Quotas quotas, int times) {
        for (Stay stay : tenant.stays()) {
            quotas.charge(times, stay.cpus(), stay.memory(), Shape.NO_TYPE, 0);
            for (int type = 0; stay.mask() != 0 && type < layout.types.count(); type++) {
                int count = Long.bitCount(stay.mask() & layout.devices[stay.node()][type]);
                if (count > 0) {
                    quotas.charge(times, 0, 0, type, count);
                }
            }
        }
    }

    /** What a job of this priority that runs until then may use now. */
    Room seenBy(int priority, long end) {
        return views.computeIfAbsent(binding(priority, end), this::view);
    }

    /** The claims that such a job has to leave alone. */
    long binding(int priority, long end) {
        long bits = 0;
        for (int index = 0; index < claims.size(); index++) {
            Claim claim = claims.get(index);
            if (claim.demand().priority() >= priority && (claim.isCollecting() || claim.start() < end)) {
                bits |= 1L << index;
            }
        }
        return bits;
    }

    private Room view(long binding) {
        if (binding == 0) {
            return free;
        }
        Room view = free.copy();
        for (long rest = binding; rest != 0; rest &= rest - 1) {
            for (int node : claims.get(Long.numberOfTrailingZeros(rest)).nodes) {
                refresh(view, binding, node);
            }
        }
        return view;
    }

    private void refresh(Room view, long binding, int node) {
        int cpus = free.cpus[node];
        int memory = free.memory[node];
        long devices = free.devices[node];
        int keptCpus = 0;
        int keptMemory = 0;
        for (long rest = binding; rest != 0; rest &= rest - 1) {
            Claim claim = claims.get(Long.numberOfTrailingZeros(rest));
            int piece = claim.at(node);
            if (piece >= 0) {
                devices &= ~claim.pieces[piece].mask();
                if (claim.isCollecting()) {
                    keptCpus += claim.pieces[piece].cpus();
                    keptMemory += claim.pieces[piece].memory();
                } else {
                    cpus = Math.min(cpus, claim.slackCpus[piece]);
                    memory = Math.min(memory, claim.slackMemory[piece]);
                }
            }
        }
        view.put(
                node,
                Math.min(cpus, free.cpus[node] - keptCpus),
                Math.min(memory, free.memory[node] - keptMemory),
                devices);
    }

    /** Those whose end is known, the soonest first. */
    List<Tenant> byEnd() {
        if (byEnd == null) {
            byEnd = tenants.stream()
                    .filter(tenant -> tenant.end != NEVER)
                    .sorted(Comparator.<Tenant>comparingLong(tenant -> tenant.end)
                            .thenComparing(tenant -> tenant.job.job()))
                    .toList();
        }
        return byEnd;
    }

    /** At most this becomes free at known times. */
    Room whenAllKnownEnded() {
        Room room = free.copy();
        for (Tenant tenant : byEnd()) {
            for (Stay stay : tenant.stays) {
                if (stay.node() >= 0) {
                    room.give(stay.node(), stay.cpus(), stay.memory(), stay.mask() & layout.well[stay.node()]);
                }
            }
        }
        return room;
    }

    Future future(Pass.Entry entry) {
        return new Future(entry);
    }

    /** What a job could use when others have gone, beside everything that is kept for jobs before it. */
    final class Future {
        final Room room = free.copy();
        final Quotas quotas;
        private final long[] kept = new long[layout.size];
        private final String cluster;

        private Future(Pass.Entry entry) {
            quotas = entry.line.quotas.copy();
            cluster = entry.demand.cluster();
            for (Claim claim : claims) {
                if (claim.demand.priority() >= entry.demand.priority()) {
                    for (Stay piece : claim.pieces) {
                        room.take(piece.node(), piece.cpus(), piece.memory(), piece.mask());
                        kept[piece.node()] |= piece.mask();
                    }
                }
            }
        }

        void release(Tenant tenant) {
            for (Stay stay : tenant.stays) {
                int node = stay.node();
                if (node >= 0) {
                    room.give(node, stay.cpus(), stay.memory(), stay.mask() & layout.well[node] & ~kept[node]);
                }
            }
            if (tenant.job.cluster().equals(cluster)) {
                charge(tenant, quotas, -1);
            }
        }

        void hold(Tenant tenant) {
            for (Stay stay : tenant.stays) {
                if (stay.node() >= 0) {
                    room.take(stay.node(), stay.cpus(), stay.memory(), stay.mask());
                }
            }
            if (tenant.job.cluster().equals(cluster)) {
                charge(tenant, quotas, 1);
            }
        }
    }

    /** Keeps the places of a plan that has been taken from {@code room}; null: too many jobs have something kept already. */
    @Nullable
    Claim keep(Demand demand, Plan plan, Room room, long start, Quotas quotas) {
        if (claims.size() == MOST_CLAIMS) {
            return null;
        }
        Map<Integer, Stay> byNode = new TreeMap<>();
        for (Piece piece : plan.pieces()) {
            byNode.merge(piece.node(), stay(plan, piece), Machines::both);
        }
        Claim claim = new Claim(demand, start, quotas, List.copyOf(byNode.values()), room);
        for (Stay piece : claim.pieces) {
            tighten(piece, NEVER);
        }
        claims.add(claim);
        return claim;
    }

    private static Stay stay(Plan plan, Piece piece) {
        int role = piece.role();
        return new Stay(
                piece.node(),
                piece.tasks() * plan.shape().cpus[role],
                piece.tasks() * plan.shape().memory[role],
                piece.mask());
    }

    private static Stay both(Stay one, Stay other) {
        return new Stay(
                one.node(), one.cpus() + other.cpus(), one.memory() + other.memory(), one.mask() | other.mask());
    }

    /** Beside a claim there is less left by what stays until after its start. */
    private void tighten(Stay stay, long end) {
        for (Claim claim : claims) {
            int piece = claim.isCollecting() || claim.start() >= end ? -1 : claim.at(stay.node());
            if (piece >= 0) {
                claim.slackCpus[piece] -= stay.cpus();
                claim.slackMemory[piece] -= stay.memory();
            }
        }
    }

    boolean isLeaving(Tenant tenant) {
        return tenant.end() <= now + 1;
    }

    /** Whether all that it waits for is leaving. */
    boolean isMakingRoom(@Nullable Claim claim) {
        return claim != null && claim.start <= now + 1;
    }

    /** It is told to go, and holds its place until it has; or not after all. */
    void dismiss(Tenant tenant, boolean goes) {
        tenant.end = goes ? now + 1 : end(tenant.job);
        byEnd = null;
    }

    /** The job of a plan moves in. */
    void start(Running job, Plan plan) {
        List<Stay> stays = new ArrayList<>();
        long end = end(job);
        for (Piece piece : plan.pieces()) {
            Stay stay = stay(plan, piece);
            stays.add(stay);
            free.take(stay.node(), stay.cpus(), stay.memory(), stay.mask());
            tighten(stay, end);
        }
        tenants.add(new Tenant(job, end, stays));
        byEnd = null;
        views.forEach((binding, view) -> {
            if (binding != 0) {
                stays.forEach(stay -> refresh(view, binding, stay.node()));
            }
        });
    }
}
