package io.sluice.engines.docker;

import io.sluice.engines.Failpoints;
import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Ends runs: the intent is kept first, so that whoever comes later ends them all the same. */
final class Ends {

    private final Starts starts;
    private final Creation creation;
    private final Stops stops;
    private final Containers containers;
    private final Failpoints failpoints;

    Ends(Starts starts, Creation creation, Stops stops, Containers containers, Failpoints failpoints) {
        this.starts = starts;
        this.creation = creation;
        this.stops = stops;
        this.containers = containers;
        this.failpoints = failpoints;
    }

    /** The run where that is its end already: it had not begun, and never will. */
    Optional<Run> ask(String name, Duration grace) throws IOException {
        var found = containers.find(name).filter(container -> Containers.isOf(container, name));
        if (found.isEmpty()) {
            var labels = starts.giveUp(name);
            return labels == null
                    ? Optional.empty()
                    : Optional.of(Containers.notBegun(name, stops.keep(name, grace, labels)));
        }
        var run = containers.read(found.get());
        if (run.isOver()) {
            return Optional.empty();
        }
        var stop = stops.keep(name, grace, run.labels());
        failpoints.reach("engine.afterStopIntent");
        if (run.state() == State.CREATED) {
            creation.discard(found.get());
            return Optional.of(Containers.notBegun(name, stop));
        }
        terminate(name);
        return Optional.empty();
    }

    /** A stopped process hears it only when it goes on. */
    private void terminate(String name) {
        if (containers.signal(name, "SIGTERM")) {
            containers.signal(name, "SIGCONT");
        }
    }

    void force(String name) throws IOException {
        if (stops.find(name).isPresent()) {
            containers.signal(name, "SIGKILL");
        }
    }

    /** Also what an earlier gateway wanted and did not come to. */
    void goOn(List<Run> all) throws IOException {
        var now = Instant.now();
        for (var stop : stops.all().entrySet()) {
            var run = all.stream()
                    .filter(one -> one.name().equals(stop.getKey()) && one.state() == State.RUNNING)
                    .findFirst();
            if (run.isPresent()) {
                if (now.isAfter(stop.getValue().deadline())) {
                    force(stop.getKey());
                } else {
                    terminate(stop.getKey());
                }
            }
        }
    }
}
