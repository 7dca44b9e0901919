package io.sluice.jobs.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a pass found.
 *
 * @param of the picture it was made from
 * @param until the same picture at a later time gives the same decisions before this
 * @param starts in the order of the queue
 * @param preempts jobs that have to end now; what they make room for starts in a later pass
 * @param waiting every job of the queue that does not start, and those that start in part
 * @param turns who is first in each virtual cluster, by its name: the next pass goes on from there
 */
public record Decisions(
        Snapshot of,
        Instant until,
        List<Start> starts,
        List<Preempt> preempts,
        List<Waiting> waiting,
        Map<String, Turn> turns) {

    /** What the first pass goes on from. */
    public static final Decisions NONE = new Decisions(
            new Snapshot(
                    Instant.MIN,
                    new Snapshot.Rules(Duration.ZERO, Duration.ZERO),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of()),
            Instant.MIN,
            List.of(),
            List.of(),
            List.of(),
            Map.of());

    public Decisions {
        starts = List.copyOf(starts);
        preempts = List.copyOf(preempts);
        waiting = List.copyOf(waiting);
        turns = Map.copyOf(turns);
    }

    /** Whether another pass would find nothing else. */
    boolean stillHold(Snapshot later) {
        return !later.now().isBefore(of.now())
                && later.now().isBefore(until)
                && later.rules().equals(of.rules())
                && later.clusters().equals(of.clusters())
                && later.running().equals(of.running())
                && later.nodes().equals(of.nodes())
                && later.queue().equals(of.queue());
    }

    /** As found by a clock that has been set since: what waits has waited as long as before. */
    public Decisions setBy(Duration jump) {
        Map<String, Turn> moved = new HashMap<>();
        turns.forEach((cluster, turn) -> {
            Instant ahead = turn.ahead();
            moved.put(cluster, new Turn(turn.job(), turn.since().plus(jump), ahead == null ? null : ahead.plus(jump)));
        });
        return new Decisions(NONE.of, NONE.until, List.of(), List.of(), List.of(), moved);
    }

    /** Jobs that another pass over the same picture has to look at: all others neither start nor have anything kept for them. */
    Set<String> moving() {
        Set<String> jobs = new HashSet<>();
        starts.forEach(start -> jobs.add(start.job()));
        turns.values().forEach(turn -> jobs.add(turn.job()));
        return jobs;
    }

    /** At its place among all that wait. */
    Waiting positioned(Waiting one, Demand demand) {
        if (one.position() == 0) {
            return one;
        }
        Set<String> counted = new HashSet<>();
        waiting.stream().filter(other -> other.position() > 0).forEach(other -> counted.add(other.job()));
        long before = of.queue().stream()
                .filter(other -> other.cluster().equals(demand.cluster()) && counted.contains(other.job()))
                .filter(other -> Pass.ORDER.compare(other, demand) < 0)
                .count();
        return new Waiting(
                one.job(),
                one.cluster(),
                (int) before + 1,
                one.why(),
                one.shortages(),
                one.holders(),
                one.behind(),
                one.start(),
                one.outages());
    }

    /** Where the tasks of a job run. */
    public record Start(String job, List<Place> places) {
        public Start {
            places = List.copyOf(places);
        }
    }

    /** The n-th (from 0) of the tasks that its role demanded, on a node, with devices of it. */
    public record Place(String role, int task, String node, List<String> devices) {
        public Place {
            devices = List.copyOf(devices);
        }
    }

    /** A running job that gives way to one that waits. */
    public record Preempt(String job, String to) {}

    /**
     * The first job of a virtual cluster that has to wait.
     *
     * @param since when it is the first
     * @param ahead when it came to go before all other virtual clusters, null: it does not
     */
    public record Turn(String job, Instant since, @Nullable Instant ahead) {}
}
