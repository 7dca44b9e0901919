package io.sluice.engines.process;

import io.sluice.engines.Failpoints;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;

/** Ends runs: by asking, by force, and those that nobody is left to say it of. */
final class Stops {

    private static final Logger log = System.getLogger(Stops.class.getName());
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Ground ground;
    private final Arrivals arrivals;
    private final Failpoints failpoints;

    Stops(Ground ground, Arrivals arrivals, Failpoints failpoints) {
        this.ground = ground;
        this.arrivals = arrivals;
        this.failpoints = failpoints;
    }

    void ask(String name, Duration grace) throws IOException {
        var folder = ground.runs().find(name);
        if (folder.isPresent() && !folder.get().read().isOver()) {
            folder.get().askToStop(grace);
            failpoints.reach("engine.afterStopIntent");
            carryOut(folder.get());
        }
    }

    /** What has been asked for, and is kept: it reaches who supervises the run, or there will never be one. */
    void carryOut(RunFolder folder) throws IOException {
        arrivals.expect(folder.name());
        if (folder.claimForNobody()) {
            ground.runs().end(folder, RunFolder.TERMINATED, "" + RunFolder.TERM, RunFolder.NOT_BEGUN);
        } else {
            folder.claim().orElseThrow().supervisor().terminate();
        }
    }

    /** Where the supervisor does not do what it was asked for: without it, the kernel ends the task. */
    Void force(String name) throws IOException {
        var folder = ground.runs().find(name);
        var claim = folder.isPresent() ? folder.get().claim() : Optional.<RunFolder.Claim>empty();
        if (folder.isEmpty() || claim.isEmpty() || folder.get().read().isOver()) {
            return null;
        }
        log.log(Level.WARNING, "run=forced name={0}", name);
        folder.get().markForced();
        claim.get().supervisor().kill(PATIENCE);
        endInside(folder.get());
        ground.launcher().endStrays(name);
        return arrivals.settle(name);
    }

    /** One that ended before it could claim its run, for want of anything, has nobody else to say so. */
    void neverBegan(RunFolder folder) throws IOException {
        if (Files.isDirectory(folder.path()) && folder.claim().isEmpty() && folder.claimForNobody()) {
            ground.runs().end(folder, RunFolder.NOT_SET_UP, "", "its supervisor could not begin");
        }
    }

    /** Nothing goes on inside without a supervisor; the kernel sees to that, but takes its time. */
    static void endInside(RunFolder folder) throws IOException {
        var first = folder.first();
        if (first.isPresent() && !folder.runsOn()) {
            first.get().kill(PATIENCE);
        }
    }
}
