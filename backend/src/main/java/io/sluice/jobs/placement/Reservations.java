package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Machines.Future;
import io.sluice.jobs.placement.Packing.Plan;
import io.sluice.jobs.placement.Tenant.Claim;
import io.sluice.jobs.placement.Tenant.Ends;
import io.sluice.jobs.placement.Tenant.Stay;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How room is made for a job that does not fit: others are leaving already, or give way, or will have ended by a known time;
 * or else what is free is collected for it.
 */
final class Reservations {
    /** Sets of two and three are looked for only among so many. */
    private static final int MOST_SINGLES = 512;

    private static final int MOST_PAIRS = 48;

    private static final int MOST_TRIPLES = 16;

    /** A pass looks for jobs that give way only so many times. */
    private static final int MOST_SEARCHES = 32;

    /** Who is easiest to let go. */
    private static final Comparator<Tenant> LIGHTEST = Comparator.<Tenant>comparingInt(tenant -> tenant.job.priority())
            .thenComparing(tenant -> tenant.job.since(), Comparator.reverseOrder())
            .thenComparing(tenant -> tenant.job.job());

    /** What has been done for a job; {@code claim} null: nothing. */
    record Kept(@Nullable Claim claim, List<String> preempted) {
        static final Kept NOTHING = new Kept(null, List.of());
    }

    private final Machines machines;
    private @Nullable Room allKnownEnded;
    private int searches;

    Reservations(Machines machines) {
        this.machines = machines;
    }

    /** {@code collecting}: also when nobody knows when the rest becomes free. */
    Kept reserve(Pass.Entry entry, boolean collecting) {
        Claim claim = claimWhenLeft(entry);
        if (claim != null) {
            return new Kept(claim, List.of());
        }
        List<Tenant> victims = victims(entry);
        if (!victims.isEmpty()) {
            victims.forEach(victim -> machines.dismiss(victim, true));
            claim = claimWhenLeft(entry);
            if (claim != null) {
                return new Kept(
                        claim, victims.stream().map(victim -> victim.job.job()).toList());
            }
            victims.forEach(victim -> machines.dismiss(victim, false));
        }
        claim = claimAtKnownEnd(entry);
        if (claim == null && collecting) {
            claim = collect(entry);
        }
        return claim == null ? Kept.NOTHING : new Kept(claim, List.of());
    }

    /** As soon as those have gone who are leaving, and what was given back has been checked. */
    private @Nullable Claim claimWhenLeft(Pass.Entry entry) {
        List<Tenant> leaving = machines.leaving();
        if (leaving.isEmpty()) {
            return null;
        }
        Future future = machines.future(entry);
        leaving.forEach(future::release);
        return claim(entry, future, machines.now + 1);
    }

    private @Nullable Claim claim(Pass.Entry entry, Future future, long time) {
        Plan plan = Packing.place(future.room, entry.shape, future.quotas);
        return plan == null ? null : machines.keep(entry.demand, plan, future.room, time, future.quotas);
    }

    private @Nullable Claim claimAtKnownEnd(Pass.Entry entry) {
        if (allKnownEnded == null) {
            allKnownEnded = machines.whenAllKnownEnded();
        }
        if (!Packing.fits(allKnownEnded, entry.shape, entry.line.quotas.emptied())) {
            return null;
        }
        Timeline timeline = new Timeline(entry, machines.future(entry), machines.ends());
        return timeline.findFirst() ? claim(entry, timeline.future, timeline.time()) : null;
    }

    /** When a job that is not first starts, if those before it start as expected and nobody passes it; NEVER: nobody knows. */
    long guess(Pass.Entry entry) {
        Timeline timeline = new Timeline(entry, machines.guessedFuture(entry), machines.endsExpected());
        if (!timeline.findFirst()) {
            return Machines.NEVER;
        }
        Plan plan = Packing.place(timeline.future.room, entry.shape, timeline.future.quotas);
        if (plan != null) {
            machines.guess(entry.demand, plan, timeline.future.room, timeline.time(), timeline.future.quotas);
        }
        return timeline.time();
    }

    private @Nullable Claim collect(Pass.Entry entry) {
        Future future = machines.future(entry);
        machines.everybody().forEach(future::release);
        Plan plan = Packing.collect(future.room, entry.shape, future.quotas, machines.free);
        if (plan == null) {
            return null;
        }
        Quotas quotas = entry.line.quotas.copy();
        plan.charge(quotas);
        return machines.keep(entry.demand, plan, future.room, Machines.NEVER, quotas);
    }

    /** What there is after so many of the known ends. */
    private static final class Timeline {
        private final Shape shape;
        private final Future future;
        private final List<Tenant> tenants;
        private final int[] gone;
        private int now;

        Timeline(Pass.Entry entry, Future future, Ends ends) {
            this.shape = entry.shape;
            this.future = future;
            tenants = ends.tenants;
            gone = ends.gone;
        }

        /** Goes where it fits first. Looks ahead in growing steps, then in between: most fit when a few others have ended. */
        boolean findFirst() {
            int length = gone.length - 1;
            int tooSoon = 0;
            int enough = Math.min(1, length);
            while (!fitsAfter(enough)) {
                if (enough == length) {
                    return false;
                }
                tooSoon = enough;
                enough = Math.min(2 * enough, length);
            }
            while (enough - tooSoon > 1) {
                int middle = (tooSoon + enough) >>> 1;
                if (fitsAfter(middle)) {
                    enough = middle;
                } else {
                    tooSoon = middle;
                }
            }
            move(enough);
            return enough > 0;
        }

        long time() {
            return tenants.get(now - 1).end;
        }

        private boolean fitsAfter(int ends) {
            move(ends);
            return Packing.fits(future.room, shape, future.quotas);
        }

        private void move(int ends) {
            for (; now < gone[ends]; now++) {
                future.release(tenants.get(now));
            }
            for (; now > gone[ends]; now--) {
                future.hold(tenants.get(now - 1));
            }
        }
    }

    /** As few as possible, the lightest first; empty: it would not help. */
    private List<Tenant> victims(Pass.Entry entry) {
        List<Tenant> candidates = machines.tenants.stream()
                .filter(tenant -> tenant.job.preemptible() && !machines.isLeaving(tenant))
                .filter(tenant -> tenant.job.priority() < entry.demand.priority())
                .sorted(LIGHTEST)
                .toList();
        if (candidates.isEmpty() || searches++ >= MOST_SEARCHES) {
            return List.of();
        }
        return new Search(entry, candidates).fewest();
    }

    /** Tries who has to go. */
    private final class Search {
        private final Pass.Entry entry;
        private final List<Tenant> candidates;
        private final Future future;

        Search(Pass.Entry entry, List<Tenant> candidates) {
            this.entry = entry;
            this.candidates = candidates;
            future = machines.future(entry);
            machines.leaving().forEach(future::release);
        }

        List<Tenant> fewest() {
            candidates.forEach(future::release);
            boolean helps = fits();
            candidates.forEach(future::hold);
            if (!helps) {
                return List.of();
            }
            for (int size = fewestPossible(); size <= 3; size++) {
                List<Tenant> found = among(size, 0, new ArrayList<>());
                if (!found.isEmpty()) {
                    return found;
                }
            }
            List<Tenant> nearest = enough(byNode());
            if (candidates.size() > MOST_SINGLES) {
                return nearest;
            }
            List<Tenant> lightest = enough(candidates);
            return nearest.size() < lightest.size() ? nearest : lightest;
        }

        /** So many have to go even if those with most devices do. */
        private int fewestPossible() {
            Shape shape = entry.shape;
            long missing = 0;
            for (int role = 0; role < shape.roles; role++) {
                missing += shape.gang ? (long) shape.instances[role] * shape.devices[role] : 0;
            }
            for (long free : future.room.devices) {
                missing -= Long.bitCount(free);
            }
            int count = 1;
            for (int devices : candidates.stream()
                    .map(Tenant::devices)
                    .sorted(Comparator.reverseOrder())
                    .toList()) {
                missing -= devices;
                if (missing <= 0) {
                    break;
                }
                count++;
            }
            return count;
        }

        private boolean fits() {
            return Packing.fits(future.room, entry.shape, future.quotas);
        }

        private List<Tenant> among(int size, int from, List<Tenant> chosen) {
            if (size == 0) {
                return fits() ? List.copyOf(chosen) : List.of();
            }
            int total = size + chosen.size();
            int most = total == 1 ? MOST_SINGLES : total == 2 ? MOST_PAIRS : MOST_TRIPLES;
            for (int index = from; index < Math.min(candidates.size(), most); index++) {
                Tenant tenant = candidates.get(index);
                chosen.add(tenant);
                future.release(tenant);
                List<Tenant> found = among(size - 1, index + 1, chosen);
                future.hold(tenant);
                chosen.removeLast();
                if (!found.isEmpty()) {
                    return found;
                }
            }
            return List.of();
        }

        /** The first ones that make it fit, without those that turn out not to be needed, of which the last stay first. */
        private List<Tenant> enough(List<Tenant> order) {
            int going = 0;
            for (int step = 1; going < order.size() && !fits(); step *= 2) {
                for (int to = Math.min(order.size(), going + step); going < to; going++) {
                    future.release(order.get(going));
                }
            }
            List<Tenant> needed = new ArrayList<>();
            for (int index = going - 1; index >= 0; index--) {
                future.hold(order.get(index));
                if (!fits()) {
                    future.release(order.get(index));
                    needed.addFirst(order.get(index));
                }
            }
            needed.forEach(future::hold);
            return needed;
        }

        /** Nodes where the fewest have to go first. */
        private List<Tenant> byNode() {
            Map<Integer, List<Tenant>> onNode = new TreeMap<>();
            for (Tenant tenant : candidates) {
                for (Stay stay : tenant.stays) {
                    List<Tenant> there = onNode.computeIfAbsent(stay.node(), node -> new ArrayList<>());
                    if (there.isEmpty() || there.getLast() != tenant) {
                        there.add(tenant);
                    }
                }
            }
            return onNode.values().stream()
                    .sorted(Comparator.comparingInt(List::size))
                    .flatMap(List::stream)
                    .distinct()
                    .toList();
        }
    }
}
