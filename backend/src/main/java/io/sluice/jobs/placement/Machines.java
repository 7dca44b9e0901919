package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Packing.Piece;
import io.sluice.jobs.placement.Packing.Plan;
import io.sluice.jobs.placement.Snapshot.Held;
import io.sluice.jobs.placement.Snapshot.Running;
import io.sluice.jobs.placement.Snapshot.Tenths;
import io.sluice.jobs.placement.Tenant.Claim;
import io.sluice.jobs.placement.Tenant.Ends;
import io.sluice.jobs.placement.Tenant.Stay;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who is on the machines during a pass, what is kept for whom, and what is left for a given job. */
final class Machines {
    static final long NEVER = Long.MAX_VALUE;
    /** What is kept is told apart by the bits of one word. */
    private static final int MOST_CLAIMS = 63;

    /** What is left beside some claims; {@code stale}: nodes that have changed since. */
    private record View(Room room, BitSet stale) {}

    final Layout layout;
    final long now;
    final Room free;
    final List<Tenant> tenants = new ArrayList<>();
    /** Holds what is being checked, of which nobody needs to go; as good as gone. */
    private final List<Tenant> checks;

    final List<Claim> claims = new ArrayList<>();
    /** Of the claims: their priorities, and since when they bind. */
    private final int[] claimed = new int[MOST_CLAIMS];

    private final long[] from = new long[MOST_CLAIMS];
    private final List<Claim> guesses = new ArrayList<>();
    private @Nullable Ends ends;
    private final Map<Long, View> views = new HashMap<>();

    Machines(Snapshot snapshot, Layout layout) {
        this.layout = layout;
        now = snapshot.now().toEpochMilli();
        free = Room.empty(layout, false);
        for (Running job : snapshot.running()) {
            List<Stay> stays = job.tasks().stream().map(this::stay).toList();
            tenants.add(new Tenant(job, end(job), stays, false));
            stays.stream()
                    .filter(stay -> stay.node() >= 0)
                    .forEach(stay -> free.take(stay.node(), stay.cpus(), stay.memory(), stay.mask()));
        }
        tenants.sort(Tenant.SOONEST);
        checks = checks(snapshot.now());
    }

    /** Takes from what is free now the devices that were given back and are being checked. */
    private List<Tenant> checks(Instant at) {
        List<Stay> stays = new ArrayList<>();
        for (int node = 0; node < layout.size; node++) {
            long mask = layout.checking[node] & free.devices[node];
            if (mask != 0) {
                free.take(node, 0, 0, mask);
                stays.add(new Stay(node, 0, 0, mask));
            }
        }
        return stays.isEmpty() ? List.of() : List.of(new Tenant(Tenant.nobody(at), now + 1, stays, false));
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
        return new Stay(
                node, Tenths.needed(held.cpus()), held.memoryMB(), node < 0 ? 0 : layout.mask(node, held.devices()));
    }

    long endOf(Demand demand) {
        return demand.maxRun() == null ? NEVER : now + demand.maxRun().toMillis();
    }

    void charge(Tenant tenant, Quotas quotas, int times) {
        for (Stay stay : tenant.stays) {
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
        long binding = binding(priority, end);
        if (binding == 0) {
            return free;
        }
        View view = views.computeIfAbsent(binding, this::view);
        view.stale.stream().forEach(node -> refresh(view.room, binding, node));
        view.stale.clear();
        return view.room;
    }

    /** The claims that such a job has to leave alone. */
    long binding(int priority, long end) {
        long bits = 0;
        for (int index = 0; index < claims.size(); index++) {
            if (claimed[index] >= priority && from[index] < end) {
                bits |= 1L << index;
            }
        }
        return bits;
    }

    private View view(long binding) {
        View view = new View(free.copy(), new BitSet());
        for (long rest = binding; rest != 0; rest &= rest - 1) {
            for (int node : claims.get(Long.numberOfTrailingZeros(rest)).nodes) {
                view.stale.set(node);
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

    /** Those whose end is known. */
    Ends ends() {
        if (ends == null) {
            ends = new Ends(everybody());
        }
        return ends;
    }

    /** With those that will have come until then. */
    Ends endsExpected() {
        return new Ends(Stream.concat(
                everybody(), Stream.concat(claims.stream(), guesses.stream()).map(claim -> claim.occupant)));
    }

    /** At most this becomes free at known times. */
    Room whenAllKnownEnded() {
        Room room = free.copy();
        for (Tenant tenant : ends().tenants) {
            for (Stay stay : tenant.stays) {
                if (stay.node() >= 0) {
                    room.give(stay.node(), stay.cpus(), stay.memory(), stay.mask() & layout.well[stay.node()]);
                }
            }
        }
        return room;
    }

    Future future(Pass.Entry entry) {
        Future future = new Future(entry);
        claims.stream()
                .filter(claim -> claim.demand().priority() >= entry.demand.priority())
                .forEach(future::keep);
        return future;
    }

    /** Also beside what has been guessed of jobs before it. */
    Future guessedFuture(Pass.Entry entry) {
        Future future = new Future(entry);
        Stream.concat(claims.stream(), guesses.stream()).forEach(claim -> {
            future.keep(claim);
            if (future.isOwn(claim.occupant)) {
                charge(claim.occupant, future.quotas, 1);
            }
        });
        return future;
    }

    /** What a job could use when others have gone. */
    final class Future {
        final Room room = free.copy();
        final Quotas quotas;
        /** Of the devices of a node: for how many jobs they are kept, one after the other. */
        private final byte[][] keepers = new byte[layout.size][];

        private final long[] kept = new long[layout.size];
        private final String cluster;

        private Future(Pass.Entry entry) {
            quotas = entry.line.quotas.copy();
            cluster = entry.demand.cluster();
        }

        private void keep(Claim claim) {
            for (Stay piece : claim.pieces) {
                room.take(piece.node(), piece.cpus(), piece.memory(), piece.mask());
                count(piece, 1);
            }
        }

        private void count(Stay stay, int more) {
            int node = stay.node();
            if (keepers[node] == null) {
                keepers[node] = new byte[Snapshot.Node.MOST_DEVICES];
            }
            for (long rest = stay.mask(); rest != 0; rest &= rest - 1) {
                int bit = Long.numberOfTrailingZeros(rest);
                keepers[node][bit] += (byte) more;
                kept[node] = keepers[node][bit] > 0 ? kept[node] | 1L << bit : kept[node] & ~(1L << bit);
            }
        }

        private boolean isOwn(Tenant tenant) {
            return tenant.job.cluster().equals(cluster);
        }

        void release(Tenant tenant) {
            for (Stay stay : tenant.stays) {
                int node = stay.node();
                if (node >= 0) {
                    if (tenant.expected) {
                        count(stay, -1);
                    }
                    room.give(node, stay.cpus(), stay.memory(), stay.mask() & layout.well[node] & ~kept[node]);
                }
            }
            if (isOwn(tenant)) {
                charge(tenant, quotas, -1);
            }
        }

        void hold(Tenant tenant) {
            for (Stay stay : tenant.stays) {
                if (stay.node() >= 0) {
                    room.take(stay.node(), stay.cpus(), stay.memory(), stay.mask());
                    if (tenant.expected) {
                        count(stay, 1);
                    }
                }
            }
            if (isOwn(tenant)) {
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
        Claim claim = new Claim(demand, start, quotas, byNode(plan), room);
        for (Stay piece : claim.pieces) {
            tighten(piece, NEVER);
        }
        claimed[claims.size()] = demand.priority();
        from[claims.size()] = start == NEVER ? now : start;
        claims.add(claim);
        return claim;
    }

    /** Only for what comes after it; it is not kept. */
    void guess(Demand demand, Plan plan, Room room, long start, Quotas quotas) {
        guesses.add(new Claim(demand, start, quotas, byNode(plan), room));
    }

    private static List<Stay> byNode(Plan plan) {
        Map<Integer, Stay> byNode = new TreeMap<>();
        for (Piece piece : plan.pieces()) {
            byNode.merge(piece.node(), stay(plan, piece), Machines::both);
        }
        return List.copyOf(byNode.values());
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

    /** What becomes free without anybody being told to go. */
    List<Tenant> leaving() {
        return Stream.concat(checks.stream(), tenants.stream().filter(this::isLeaving))
                .toList();
    }

    /** All that hold something now. */
    Stream<Tenant> everybody() {
        return Stream.concat(checks.stream(), tenants.stream());
    }

    boolean isLeaving(Tenant tenant) {
        return tenant.end <= now + 1;
    }

    /** Whether all that it waits for is leaving. */
    boolean isMakingRoom(@Nullable Claim claim) {
        return claim != null && claim.start() <= now + 1;
    }

    /** It is told to go, and holds its place until it has; or not after all. */
    void dismiss(Tenant tenant, boolean goes) {
        tenant.end = goes ? now + 1 : end(tenant.job);
        ends = null;
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
        tenants.add(new Tenant(job, end, stays, false));
        ends = null;
        views.values().forEach(view -> stays.forEach(stay -> view.stale.set(stay.node())));
    }
}
