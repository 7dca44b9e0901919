package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Machines.Claim;
import io.sluice.jobs.placement.Machines.Stay;
import io.sluice.jobs.placement.Machines.Tenant;
import io.sluice.jobs.placement.Packing.Plan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How room is made for a job that does not fit: others are leaving already, or give way, or will have ended by a known time;
 * or else what is free is collected for it.
 */
final class Reservations {
    /** Sets of two and three are looked for only among so many. */
    private static final int MOST_PAIRS = 48;

    private static final int MOST_TRIPLES = 16;

    /** A pass looks for jobs that give way only so many times. */
    private static final int MOST_SEARCHES = 32;

    /** Who is easiest to let go. */
    private static final Comparator<Tenant> LIGHTEST = Comparator.<Tenant>comparingInt(
                    tenant -> tenant.job().priority())
            .thenComparing(tenant -> tenant.job().since(), Comparator.reverseOrder())
            .thenComparing(tenant -> tenant.job().job());

    /** What has been done for a job; {@code claim} null: nothing. */
    record Kept(@Nullable Claim claim, List<String> preempted) {
        static final Kept NOTHING = new Kept(null, List.of());
    }

    private final Machines machines;
    private int searches;

    Reservations(Machines machines) {
        this.machines = machines;
    }

    /** {@code collecting}: also when nobody knows when the rest becomes free. */
    Kept reserve(Pass.Entry entry, boolean collecting) {
        Claim claim = claimAt(entry, machines.now + 1);
        if (claim != null) {
            return new Kept(claim, List.of());
        }
        List<Tenant> victims = victims(entry);
        if (!victims.isEmpty()) {
            victims.forEach(victim -> machines.dismiss(victim, true));
            claim = claimAt(entry, machines.now + 1);
            if (claim != null) {
                return new Kept(
                        claim,
                        victims.stream().map(victim -> victim.job().job()).toList());
            }
            victims.forEach(victim -> machines.dismiss(victim, false));
        }
        claim = claimAtKnownEnd(entry);
        if (claim == null && collecting) {
            claim = collect(entry);
        }
        return claim == null ? Kept.NOTHING : new Kept(claim, List.of());
    }

    private @Nullable Claim claimAtKnownEnd(Pass.Entry entry) {
        long[] ends = machines.tenants.stream()
                .mapToLong(Tenant::end)
                .filter(end -> end != Machines.NEVER)
                .sorted()
                .distinct()
                .toArray();
        int low = 0;
        int high = ends.length - 1;
        if (high < 0 || !fitsAt(entry, ends[high])) {
            return null;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (fitsAt(entry, ends[middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return claimAt(entry, ends[high]);
    }

    private boolean fitsAt(Pass.Entry entry, long time) {
        return Packing.place(later(entry, time), entry.shape, quotas(entry, time)) != null;
    }

    private @Nullable Claim claimAt(Pass.Entry entry, long time) {
        Room room = later(entry, time);
        Quotas quotas = quotas(entry, time);
        Plan plan = Packing.place(room, entry.shape, quotas);
        return plan == null ? null : machines.keep(entry.demand, plan, room, time, quotas);
    }

    private Room later(Pass.Entry entry, long time) {
        Demand demand = entry.demand;
        long runs = demand.maxRun() == null ? Machines.NEVER : demand.maxRun().toMillis();
        return machines.later(time, demand.priority(), runs);
    }

    private Quotas quotas(Pass.Entry entry, long time) {
        Quotas quotas = entry.line.quotas.copy();
        for (Tenant tenant : machines.tenants) {
            if (tenant.end() <= time && isOf(tenant, entry)) {
                machines.charge(tenant, quotas, -1);
            }
        }
        return quotas;
    }

    private static boolean isOf(Tenant tenant, Pass.Entry entry) {
        return tenant.job().cluster().equals(entry.demand.cluster());
    }

    private @Nullable Claim collect(Pass.Entry entry) {
        Room room = later(entry, Machines.NEVER);
        Quotas then = quotas(entry, Machines.NEVER);
        Plan plan = Packing.collect(room, entry.shape, then, machines.free);
        if (plan == null) {
            return null;
        }
        Quotas quotas = entry.line.quotas.copy();
        plan.charge(quotas);
        return machines.keep(entry.demand, plan, room, Machines.NEVER, quotas);
    }

    /** As few as possible, the lightest first; empty: it would not help. */
    private List<Tenant> victims(Pass.Entry entry) {
        List<Tenant> candidates = machines.tenants.stream()
                .filter(tenant -> tenant.job().preemptible() && !machines.isLeaving(tenant))
                .filter(tenant -> tenant.job().priority() < entry.demand.priority())
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
        private final Room room;
        private final Quotas quotas;

        Search(Pass.Entry entry, List<Tenant> candidates) {
            this.entry = entry;
            this.candidates = candidates;
            room = later(entry, machines.now + 1);
            quotas = quotas(entry, machines.now + 1);
        }

        List<Tenant> fewest() {
            candidates.forEach(tenant -> let(tenant, true));
            boolean helps = Packing.fits(room, entry.shape, quotas);
            candidates.forEach(tenant -> let(tenant, false));
            if (!helps) {
                return List.of();
            }
            for (int size = 1; size <= 3; size++) {
                List<Tenant> found = among(size, 0, new ArrayList<>());
                if (!found.isEmpty()) {
                    return found;
                }
            }
            return greedy();
        }

        private List<Tenant> among(int size, int from, List<Tenant> chosen) {
            if (size == 0) {
                return Packing.fits(room, entry.shape, quotas) ? List.copyOf(chosen) : List.of();
            }
            int total = size + chosen.size();
            int to = Math.min(
                    candidates.size(), total == 1 ? Integer.MAX_VALUE : total == 2 ? MOST_PAIRS : MOST_TRIPLES);
            for (int index = from; index < to; index++) {
                Tenant tenant = candidates.get(index);
                chosen.add(tenant);
                let(tenant, true);
                List<Tenant> found = among(size - 1, index + 1, chosen);
                let(tenant, false);
                chosen.removeLast();
                if (!found.isEmpty()) {
                    return found;
                }
            }
            return List.of();
        }

        /** Until it fits; then those that turned out not to be needed stay, the heaviest first. */
        private List<Tenant> greedy() {
            List<Tenant> going = new ArrayList<>();
            for (Tenant tenant : candidates) {
                going.add(tenant);
                let(tenant, true);
                if (Packing.fits(room, entry.shape, quotas)) {
                    break;
                }
            }
            for (Tenant tenant : List.copyOf(going).reversed()) {
                let(tenant, false);
                if (Packing.fits(room, entry.shape, quotas)) {
                    going.remove(tenant);
                } else {
                    let(tenant, true);
                }
            }
            return going;
        }

        private void let(Tenant tenant, boolean go) {
            for (Stay stay : tenant.stays()) {
                if (go) {
                    machines.release(room, stay);
                } else if (stay.node() >= 0) {
                    room.take(stay.node(), stay.cpus(), stay.memory(), stay.mask());
                }
            }
            if (isOf(tenant, entry)) {
                machines.charge(tenant, quotas, go ? -1 : 1);
            }
        }
    }
}
