package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Decisions.Preempt;
import io.sluice.jobs.placement.Decisions.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/** Lets the time of a scene run: jobs come, start when a pass says so, and end after the time they really take. */
final class Simulation {
    private record Event(Instant at, int order, Runnable what) {}

    final Scene scene;
    final Map<String, Instant> came = new HashMap<>();
    final Map<String, Instant> started = new HashMap<>();
    /** After every pass. */
    Consumer<Decisions> watch = decisions -> {};

    private final Map<String, Duration> takes = new HashMap<>();
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparing(Event::at).thenComparingInt(Event::order));
    private int order;

    Simulation(Scene scene) {
        this.scene = scene;
    }

    /** The job comes after a time, and runs so long once it has started. */
    void job(Duration after, Duration takes, Scene.Wish wish) {
        at(scene.now.plus(after), () -> {
            Demand demand = wish.demand();
            scene.queue.add(demand);
            this.takes.put(demand.job(), takes);
            came.put(demand.job(), scene.now);
        });
    }

    private void at(Instant time, Runnable what) {
        events.add(new Event(time, order++, what));
    }

    void run(Duration time) {
        Instant end = scene.now.plus(time);
        while (!events.isEmpty() && !events.peek().at().isAfter(end)) {
            scene.now = events.peek().at();
            while (!events.isEmpty() && !events.peek().at().isAfter(scene.now)) {
                events.poll().what().run();
            }
            Decisions decisions = scene.pass();
            decisions.starts().forEach(this::start);
            decisions.preempts().forEach(this::leave);
            watch.accept(decisions);
        }
        scene.now = end;
    }

    private void start(Start start) {
        started.putIfAbsent(start.job(), scene.now);
        at(scene.now.plus(takes.getOrDefault(start.job(), Duration.ofMinutes(1))), () -> scene.ends(start.job()));
    }

    private void leave(Preempt preempt) {
        at(scene.now.plusSeconds(10), () -> scene.ends(preempt.job()));
    }

    List<String> never() {
        List<String> never = new ArrayList<>(came.keySet());
        never.removeAll(started.keySet());
        return never;
    }
}
