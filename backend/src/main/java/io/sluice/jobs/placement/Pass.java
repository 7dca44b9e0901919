package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Decisions.Place;
import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Decisions.Start;
import io.sluice.jobs.placement.Decisions.Turn;
import io.sluice.jobs.placement.Packing.Piece;
import io.sluice.jobs.placement.Packing.Plan;
import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Running;
import io.sluice.jobs.placement.Tenant.Claim;
import io.sluice.jobs.placement.Waiting.Why;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One walk over the queue. First the jobs whose turn it has long been, then the first of every virtual cluster until one of
 * it has to wait, last whatever fits beside what is kept for those.
 */
final class Pass {
    /** Priority, then first in, first out. */
    static final Comparator<Demand> ORDER = Pass::compare;

    private static final int MOST_GUESSES = 40;
    private static final int GUESS_WORK = 20_000;

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

        /** When it will start, as far as one can tell. */
        long expected = Machines.NEVER;

        final List<Place> places = new ArrayList<>();

        Entry(Demand demand, Shape shape, Line line, @Nullable Why barred) {
            this.demand = demand;
            this.shape = shape;
            this.line = line;
            this.barred = barred;
        }

        boolean isDone() {
            return barred == null && shape.tasks == 0;
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

        private @Nullable Entry guessed;

        Line(Quotas quotas, boolean known) {
            this.quotas = quotas;
            this.known = known;
        }

        /** The first of which it is not known when it starts, if that is known of all before it. */
        @Nullable
        Entry toGuess() {
            if (head == null || head.claim == null || head.claim.isCollecting()) {
                return null;
            }
            Entry next = entries.stream()
                    .filter(entry -> entry != head && entry.barred == null && !entry.isDone())
                    .filter(entry -> entry.expected == Machines.NEVER)
                    .findFirst()
                    .orElse(null);
            Entry tried = guessed;
            guessed = next;
            return next == tried ? null : next;
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
    /** By name. */
    final List<Line> lines = new ArrayList<>();

    private final Map<String, Line> byName = new HashMap<>();
    private final Map<String, Turn> before;
    private final Map<Shape.Key, Shape> shapes;
    private final Reasons reasons;
    private final Reservations reservations;
    private final Set<Failed> failed = new HashSet<>();
    private final List<Start> starts = new ArrayList<>();
    private final List<Preempt> preempts = new ArrayList<>();

    Pass(Snapshot snapshot, Map<String, Turn> before) {
        this.snapshot = snapshot;
        this.before = before;
        shapes = HashMap.newHashMap(snapshot.queue().size());
        layout = new Layout(snapshot.nodes());
        machines = new Machines(snapshot, layout);
        reasons = new Reasons(layout);
        for (Cluster cluster : snapshot.clusters()) {
            byName.put(cluster.name(), new Line(new Quotas(cluster, layout), true));
        }
        machines.tenants.forEach(tenant -> machines.charge(tenant, line(tenant.job.cluster()).quotas, 1));
        snapshot.queue().stream().sorted(ORDER).forEach(this::enqueue);
        lines.addAll(byName.values());
        lines.sort(Comparator.comparing(line -> line.quotas.name));
        lines.forEach(line -> line.share = line.quotas.share());
        reservations = new Reservations(machines);
    }

    private static int compare(Demand one, Demand other) {
        int order = Integer.compare(other.priority(), one.priority());
        if (order == 0) {
            order = one.submitted().compareTo(other.submitted());
        }
        return order == 0 ? one.job().compareTo(other.job()) : order;
    }

    private Line line(String cluster) {
        return byName.computeIfAbsent(cluster, name -> new Line(Quotas.unlimited(name, layout), false));
    }

    private void enqueue(Demand demand) {
        Line line = line(demand.cluster());
        Shape shape = shape(new Shape.Key(demand.gang(), demand.roles()));
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
        guesses();
        List<Waiting> waiting = reasons.waiting(this);
        return new Decisions(snapshot, until(turns), starts, preempts, waiting, turns);
    }

    private void turnsFirst() {
        Comparator<Entry> longest = Comparator.<Entry>comparingInt(entry -> -entry.demand.priority())
                .thenComparing(entry -> ahead(entry))
                .thenComparing(entry -> entry.demand.job());
        lines.stream()
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
        for (Line line : lines) {
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
        machines.start(Tenant.running(demand, snapshot.now()), plan);
        addPlaces(entry, plan);
        entry.shape = shape(plan.rest(new Shape.Key(demand.gang(), demand.roles())));
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
        for (Line line : lines) {
            if (line.head != null && reasons.hasQuota(line.head) && (neediest == null || line.share < neediest.share)) {
                neediest = line;
            }
        }
        for (Line line : lines) {
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

    /** For as many of the next jobs as it takes little time: the larger the cluster, the fewer. */
    private void guesses() {
        int left = Math.min(MOST_GUESSES, GUESS_WORK / (layout.size + machines.tenants.size() + 1));
        for (int place = 0; place < left; place++) {
            for (Line line : lines) {
                Entry entry = left > 0 ? line.toGuess() : null;
                if (entry != null) {
                    entry.expected = reservations.guess(entry);
                    left--;
                }
            }
        }
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
}
