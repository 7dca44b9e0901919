package io.sluice.jobs.overview;

import io.sluice.identity.Identity.Belongings;
import io.sluice.jobs.lists.Lists.Entry;
import io.sluice.jobs.pages.Words;
import io.sluice.jobs.placement.Demand;
import io.sluice.web.Caller;
import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code jobs/home.jte}, for GET /, and {@code jobs/home-live.jte} for what changes on it.
 *
 * @param unfinished of one's own, the newest; {@code finished} likewise
 * @param queue those that wait and that the viewer may see, whose turn it is first
 * @param waiting how many wait in all
 * @param unseen how many of those are neither the viewer's nor shown
 * @param cursor where /live/home?since= goes on
 */
public record HomePage(
        Caller me,
        List<Entry> unfinished,
        List<Entry> finished,
        List<Entry> queue,
        long waiting,
        long unseen,
        Free free,
        Belongings belongings,
        String cursor,
        View.@Nullable Note note) {
    public HomePage {
        unfinished = List.copyOf(unfinished);
        finished = List.copyOf(finished);
        queue = List.copyOf(queue);
    }

    public boolean hasJobs() {
        return !unfinished.isEmpty() || !finished.isEmpty();
    }

    /** Whether anything of the first steps is still to be done. */
    public boolean isNew() {
        return !hasJobs()
                || belongings.keys() == 0
                || belongings.tokens() == 0
                || (me.admin() && belongings.people() < 2);
    }

    /** What there is, and how much of it is free; {@code queue} is of everybody. */
    public record Free(List<Kind> kinds, List<Machine> machines, List<Cluster> clusters, List<Demand> queue) {
        public Free {
            kinds = List.copyOf(kinds);
            machines = List.copyOf(machines);
            clusters = List.copyOf(clusters);
            queue = List.copyOf(queue);
        }

        public Use cpus() {
            return machines.stream().map(Machine::cpus).reduce(new Use("cpus", "", 0, 0, true), Use::and);
        }

        public Use memory() {
            return machines.stream().map(Machine::memory).reduce(new Use("memory", "", 0, 0, true), Use::and);
        }

        /** Whether virtual clusters tell more than the machines do. */
        public boolean hasQuotas() {
            return clusters.size() > 1
                    || clusters.stream()
                            .anyMatch(
                                    one -> one.stopped() || one.uses().stream().anyMatch(Use::limited));
        }
    }

    /** @param out of service */
    public record Kind(String type, boolean simulated, long used, long out, long total) {
        Kind and(Kind other) {
            return new Kind(type, simulated, used + other.used, out + other.out, total + other.total);
        }

        public long free() {
            return total - used - out;
        }
    }

    /**
     * @param what {@code cpus}, {@code memory} or {@code devices} of a {@code type}
     * @param most of the quota where it is {@code limited}, else of all machines
     */
    public record Use(String what, String type, long used, long most, boolean limited) {
        Use and(Use other) {
            return new Use(what, type, used + other.used, most + other.most, limited);
        }

        public long free() {
            return Math.max(0, most - used);
        }

        public String label(View view) {
            return what.equals("devices") ? type.equals("any") ? view.t("jobs.devices") : type : view.t("home." + what);
        }

        public String amount(long amount) {
            return what.equals("memory") ? Words.memory(amount) : Long.toString(amount);
        }
    }

    /**
     * @param unready why nothing can start there, null: it can
     * @param unlimited why tasks that take more than they asked for are not kept from it, null: they are
     */
    public record Machine(
            String name, @Nullable String unready, @Nullable String unlimited, List<Cell> cells, Use cpus, Use memory) {
        public Machine {
            cells = List.copyOf(cells);
        }

        public long used() {
            return cells.stream().filter(Cell::used).count();
        }
    }

    /**
     * @param used it is not free: somebody has it, or it is being checked
     * @param fault why nothing starts on the device, null: it is well
     * @param checking why it is not given yet although nobody has it, null: it may be
     */
    public record Cell(
            String type,
            boolean used,
            boolean simulated,
            @Nullable String fault,
            @Nullable String checking) {}

    /** @param running jobs that hold machines */
    public record Cluster(String name, boolean stopped, List<Use> uses, long running, long waiting) {
        public Cluster {
            uses = List.copyOf(uses);
        }

        /** What has a quota: of the rest the machines tell. */
        public List<Use> shown() {
            return uses.stream().filter(Use::limited).toList();
        }
    }
}
