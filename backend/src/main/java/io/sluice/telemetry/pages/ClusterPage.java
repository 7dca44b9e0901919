package io.sluice.telemetry.pages;

import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code telemetry/cluster.jte}: every machine with its devices.
 *
 * @param part which machines these are of all
 * @param cursor from which what changes is followed
 * @param mean of the devices that somebody holds, NaN: nobody does, or nothing is known
 * @param waiting jobs in the queue, and {@code wanted} the devices they ask for
 * @param idle devices that are held and do nothing
 * @param trend the share of devices held and how busy they were, over the last two hours
 */
public record ClusterPage(
        List<Machine> machines,
        Part part,
        String cursor,
        int devices,
        int held,
        int faulty,
        double mean,
        int waiting,
        int wanted,
        int idle,
        boolean simulated,
        String trend,
        String busyTrend,
        List<MetricsPanel.Note> troubles) {

    public ClusterPage {
        machines = List.copyOf(machines);
        troubles = List.copyOf(troubles);
    }

    /** Some of all machines, from one on. */
    public record Part(int from, int of, int size) {
        public boolean isWhole() {
            return of <= size;
        }

        public int first() {
            return from + 1;
        }

        public int last() {
            return Math.min(of, from + size);
        }

        public @Nullable Integer before() {
            return from > 0 ? (Integer) Math.max(0, from - size) : null;
        }

        public @Nullable Integer after() {
            return from + size < of ? (Integer) (from + size) : null;
        }
    }

    /**
     * @param number its place among all, by which the page knows it
     * @param kinds count and type of its devices
     * @param apart how tasks are kept from one another and from the machine
     * @param limits what keeps them to what they asked for
     * @param more devices that have no tile, and {@code moreFree} those of them that nobody holds
     */
    public record Machine(
            int number,
            String name,
            int cpus,
            int memoryMB,
            List<String> kinds,
            int tasks,
            double cores,
            @Nullable String unready,
            String apart,
            String limits,
            List<Card> cards,
            int more,
            int moreFree) {
        public Machine {
            kinds = List.copyOf(kinds);
            cards = List.copyOf(cards);
        }

        /** Whether some of its devices exist in settings only. */
        public boolean simulated() {
            return cards.stream().anyMatch(Card::simulated);
        }

        public String about(View view) {
            String machine = view.t("cluster.machine", cpus, memoryMB / 1024.0);
            return kinds.isEmpty() ? machine : String.join(", ", kinds) + " · " + machine;
        }
    }

    /**
     * A device.
     *
     * @param state {@code free}, {@code held}, {@code idle} or {@code bad}
     * @param tenth how busy, from 0 to 10
     * @param job null: nobody's, or somebody's whom the viewer does not see
     * @param note what is wrong with it, or that it is being checked before it is given again; null: nothing
     */
    public record Card(
            String vendor,
            int index,
            String type,
            boolean simulated,
            String state,
            int tenth,
            double load,
            String details,
            @Nullable String job,
            @Nullable String name,
            @Nullable String user,
            @Nullable String note) {

        public String label(View view) {
            return MetricsPanel.label(view, vendor, index);
        }

        public String says(View view) {
            return switch (state) {
                case "bad" -> view.t("cluster.bad");
                case "free" -> view.t("cluster.free");
                default -> Double.isNaN(load) ? view.t("telemetry.unknown") : view.t("telemetry.percent", load);
            };
        }
    }
}
