package io.sluice.jobs.placement;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The door of the room. Equal arguments give equal answers. */
public final class Placement {
    private Placement() {}

    /**
     * Decides what starts now, what gives way, and says why the rest waits.
     *
     * @param before what the pass before this one found, {@link Decisions#NONE} at first: whose turn it was is kept, and when
     *     nothing has changed it is the answer
     */
    public static Decisions pass(Snapshot snapshot, Decisions before) {
        return before.stillHold(snapshot) ? before : new Pass(snapshot, before.turns()).decisions();
    }

    /** What would become of a job that were submitted now. Quick when nothing has changed since the pass {@code before}. */
    public static Fit wouldFit(Snapshot snapshot, Demand demand, Decisions before) {
        boolean known = before.stillHold(snapshot);
        Snapshot asked = known ? snapshot.only(before.moving()) : snapshot;
        Decisions decisions = new Pass(asked.with(demand), before.turns()).decisions();
        List<Decisions.Place> places = decisions.starts().stream()
                .filter(start -> start.job().equals(demand.job()))
                .flatMap(start -> start.places().stream())
                .toList();
        Waiting waiting = decisions.waiting().stream()
                .filter(one -> one.job().equals(demand.job()))
                .findFirst()
                .orElse(null);
        return new Fit(places, known && waiting != null ? before.positioned(waiting, demand) : waiting);
    }

    /**
     * @param now the tasks that would start at once, and where
     * @param waiting null: all of them would
     */
    public record Fit(List<Decisions.Place> now, @Nullable Waiting waiting) {}

    /**
     * What the machines have of a kind of device.
     *
     * @param most that are well on one of them
     * @param boards whether only 1, 2, 4 or 8 of them work together, the smaller ones within one half of a board
     */
    public record Offer(int most, boolean boards) {}

    /** @param type in any of its names */
    public static Offer offer(Snapshot snapshot, @Nullable String type) {
        var types = new Layout.Types();
        snapshot.nodes().stream()
                .flatMap(node -> node.devices().stream())
                .forEach(device -> types.id(device.type(), device.vendor()));
        int[] meant = types.named(type);
        int most = 0;
        for (var node : snapshot.nodes()) {
            for (int id : meant) {
                most = Math.max(most, (int) node.devices().stream()
                        .filter(device -> device.fault() == null && types.id(device.type(), device.vendor()) == id)
                        .count());
            }
        }
        boolean boards = meant.length > 0 && Arrays.stream(meant).allMatch(types::onBoard);
        return new Offer(most, boards);
    }
}
