package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Decisions.Place;
import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Decisions.Start;
import io.sluice.jobs.placement.Decisions.Turn;
import io.sluice.jobs.placement.Machines.Claim;
import io.sluice.jobs.placement.Packing.Piece;
import io.sluice.jobs.placement.Packing.Plan;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Running;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the queue. First the jobs whose turn it has long been, then the first of every virtual cluster until one of
 * it has to wait, last whatever fits beside what is kept for those.
 */
final class Pass {
    /** Priority, then first in, first out. */
    static final Comparator<Demand> ORDER = Comparator.<Demand>comparingInt(demand -> -demand.priority())
            .thenComparing(Demand::submitted)
            .thenComparing(Demand::job);

    /** A job that waits, and what has been found about it. */
    static final class Entry {
        final Demand demand;
        final Line line;
        /** Why it is not looked at; null: it is. */
        final @Nullable Why barred;

        /** What of it still waits. */
        Shape shape;

        @Nullable
        Claim claim;

        final List<Place> places = new ArrayList<>();

        Entry(Demand demand, Shape shape, Line line, @Nullable Why barred) {
            this.demand = demand;
            this.shape = shape;
            this.line = line;
            this.barred = barred;
        }

        boolean isDone() {
            return barred == null && shape.tasks() == 0;
        }
    }

    /** The queue of a virtual cluster. */
    static final class Line {
        final Quotas quotas;
        final boolean known;
        final List<Entry> entries = new ArrayList<>();
        int next;
        double share;
        /** The first job that has to wait; those after it may only pass it. */
        @Nullable
        Entry head;

        Line(Quotas quotas, boolean known) {
            this.quotas = quotas;
            this.known = known;
        }

        @Nullable
        Entry first() {
            while (next < entries.size() && entries.get(next).barred != null) {
                next++;
            }
            return next < entries.size() ? entries.get(next) : null;
        }
    }

    private record Failed(long binding, int shape, Line line) {}

    final Snapshot snapshot;
    final Layout layout;
    final Machines machines;
    final Map<String, Line> lines = new TreeMap<>();
    private final Map<String, Turn> before;
    private final Map<Shape.Key, Shape> shapes = new HashMap<>();
    private final Reasons reasons;
    private final Reservations reservations;
    private final Set<Failed> failed = new HashSet<>();
    private final List<Start> starts = new ArrayList<>();
    private final List<Preempt> preempts = new ArrayList<>();

    Pass(Snapshot snapshot, Map<String, Turn> before) {
        this.snapshot = snapshot;
        this.before = before;
        layout = new Layout(snapshot.nodes());
        machines = new Machines(snapshot, layout);
        reasons = new Reasons(layout);
        for (Cluster cluster : snapshot.clusters()) {
            lines.put(cluster.name(), new Line(new Quotas(cluster, layout), true));
        }
        machines.tenants.forEach(
                tenant -> machines.charge(tenant, line(tenant.job().cluster()).quotas, 1));
        lines.values().forEach(line -> line.share = line.quotas.share());
        snapshot.queue().stream().sorted(ORDER).forEach(this::enqueue);
        reservations = new Reservations(machines);
    }

    private Line line(String cluster) {
        return lines.computeIfAbsent(cluster, name -> new Line(Quotas.unlimited(name, layout), false));
    }

    private void enqueue(Demand demand) {
        Line line = line(demand.cluster());
        Shape shape = shapes.computeIfAbsent(
                Shape.Key.of(demand), key -> new Shape(shapes.size(), key.gang(), key.roles(), layout.types));
        line.entries.add(new Entry(demand, shape, line, reasons.barred(shape, line)));
    }

    private Shape shape(Shape.Key needed) {
        return shapes.computeIfAbsent(needed, key -> new Shape(shapes.size(), key.gang(), key.roles(), layout.types));
    }

    Decisions decisions() {
        turnsFirst();
        heads();
        backfill();
        Map<String, Turn> turns = turns();
        List<Waiting> waiting = reasons.waiting(this);
        return new Decisions(snapshot, until(turns), starts, preempts, waiting, turns);
    }

    private void turnsFirst() {
        Comparator<Entry> longest = Comparator.<Entry>comparingInt(entry -> -entry.demand.priority())
                .thenComparing(entry -> ahead(entry))
                .thenComparing(entry -> entry.demand.job());
        lines.values().stream()
                .map(Line::first)
                .filter(entry -> entry != null && !ahead(entry).equals(Instant.MAX))
                .sorted(longest)
                .forEach(this::attemptHead);
    }

    private @Nullable Turn turn(Entry entry) {
        Turn turn = before.get(entry.demand.cluster());
        return turn != null && turn.job().equals(entry.demand.job()) ? turn : null;
    }

    /** Since when it goes before other virtual clusters; MAX: it does not. */
    private Instant ahead(Entry entry) {
        Turn turn = turn(entry);
        return turn == null || turn.ahead() == null ? Instant.MAX : turn.ahead();
    }

    private void heads() {
        for (Line line = neediest(true); line != null; line = neediest(true)) {
            Entry entry = line.first();
            if (entry != null) {
                attemptHead(entry);
            }
        }
    }

    private void backfill() {
        for (Line line = neediest(false); line != null; line = neediest(false)) {
            Entry entry = line.first();
            if (entry != null) {
                attempt(entry);
                line.next++;
            }
        }
    }

    /** Of the virtual clusters that have a job to look at the one that uses the smallest part of its quota; null: none. */
    private @Nullable Line neediest(boolean heads) {
        Line best = null;
        double least = Double.MAX_VALUE;
        for (Line line : lines.values()) {
            if ((heads && line.head != null) || line.first() == null) {
                continue;
            }
            double share = line.share;
            if (best == null || share < least) {
                best = line;
                least = share;
            }
        }
        return best;
    }

    private void attemptHead(Entry entry) {
        attempt(entry);
        entry.line.next++;
        if (!entry.isDone()) {
            entry.line.head = entry;
            if (entry.places.isEmpty()) {
                reserve(entry);
            }
        }
    }

    /** Of a job that is no gang the rest is tried again: with another type of device it may fit. */
    private void attempt(Entry entry) {
        boolean more = true;
        while (more && !entry.isDone()) {
            more = startSome(entry);
        }
        if (!entry.places.isEmpty()) {
            starts.add(new Start(entry.demand.job(), entry.places));
        }
    }

    private boolean startSome(Entry entry) {
        Demand demand = entry.demand;
        long end = machines.endOf(demand);
        Failed key = new Failed(machines.binding(demand.priority(), end), entry.shape.id, entry.line);
        if (failed.contains(key)) {
            return false;
        }
        Room room = machines.seenBy(demand.priority(), end);
        Quotas quotas = quotas(entry, end);
        Plan plan = Packing.place(room, entry.shape, quotas);
        if (plan == null) {
            failed.add(key);
            return false;
        }
        Packing.undo(plan, room, quotas);
        start(entry, plan, end);
        return true;
    }

    /** Beside what is kept for the head of its own virtual cluster. */
    private static Quotas quotas(Entry entry, long end) {
        Claim claim = kept(entry.line, end);
        return claim == null ? entry.line.quotas.copy() : entry.line.quotas.beside(claim.quotas());
    }

    private static @Nullable Claim kept(Line line, long end) {
        Claim claim = line.head == null ? null : line.head.claim;
        return claim != null && (claim.isCollecting() || claim.start() < end) ? claim : null;
    }

    private void start(Entry entry, Plan plan, long end) {
        Demand demand = entry.demand;
        Claim claim = kept(entry.line, end);
        plan.charge(entry.line.quotas);
        entry.line.share = entry.line.quotas.share();
        if (claim != null) {
            plan.charge(claim.quotas());
        }
        machines.start(
                new Running(
                        demand.job(),
                        demand.user(),
                        demand.cluster(),
                        demand.priority(),
                        snapshot.now(),
                        demand.maxRun() == null ? null : snapshot.now().plus(demand.maxRun()),
                        false,
                        false,
                        List.of()),
                plan);
        addPlaces(entry, plan);
        entry.shape = shape(plan.rest(Shape.Key.of(demand), entry.shape));
    }

    private void addPlaces(Entry entry, Plan plan) {
        List<Demand.Role> roles = entry.demand.roles();
        int[] next = new int[roles.size()];
        Arrays.setAll(next, role -> roles.get(role).instances() - entry.shape.instances[role]);
        for (Piece piece : plan.pieces()) {
            for (long mask : piece.masks()) {
                entry.places.add(new Place(
                        roles.get(piece.role()).name(),
                        next[piece.role()]++,
                        layout.nodes.get(piece.node()).name(),
                        layout.ids(piece.node(), mask)));
            }
        }
    }

    private void reserve(Entry entry) {
        Turn turn = turn(entry);
        boolean overdue = turn != null
                && !snapshot.now().isBefore(turn.since().plus(snapshot.rules().patience()));
        Reservations.Kept kept = reservations.reserve(entry, overdue);
        entry.claim = kept.claim();
        kept.preempted().forEach(job -> preempts.add(new Preempt(job, entry.demand.job())));
    }

    /**
     * The turn of a head is kept while it waits. The one that uses least of its quota goes ahead, and any that waits too
     * long, or for which others have been told to go: what they leave is not for somebody else.
     */
    private Map<String, Turn> turns() {
        Map<String, Turn> turns = new HashMap<>();
        Line neediest = null;
        for (Line line : lines.values()) {
            if (line.head != null && reasons.hasQuota(line.head) && (neediest == null || line.share < neediest.share)) {
                neediest = line;
            }
        }
        for (Line line : lines.values()) {
            if (line.head != null) {
                Turn turn = turn(line.head);
                Instant since = turn == null ? snapshot.now() : turn.since();
                Instant ahead = turn == null ? null : turn.ahead();
                boolean late =
                        !snapshot.now().isBefore(since.plus(snapshot.rules().longest()));
                if (ahead == null && (line == neediest || late || machines.isMakingRoom(line.head.claim))) {
                    ahead = snapshot.now();
                }
                turns.put(line.quotas.name, new Turn(line.head.demand.job(), since, ahead));
            }
        }
        return turns;
    }

    /** When time alone changes something. */
    private Instant until(Map<String, Turn> turns) {
        Instant until = Instant.MAX;
        for (Running job : snapshot.running()) {
            until = sooner(until, job.expectedEnd());
        }
        for (Turn turn : turns.values()) {
            until = sooner(until, turn.since().plus(snapshot.rules().patience()));
            until = sooner(until, turn.since().plus(snapshot.rules().longest()));
        }
        return until;
    }

    private Instant sooner(Instant one, @Nullable Instant other) {
        return other != null && other.isAfter(snapshot.now()) && other.isBefore(one) ? other : one;
    }

    Collection<Line> lines() {
        return lines.values();
    }
}
