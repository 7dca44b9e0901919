package io.sluice.engines.process;

import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes over what an earlier gateway started, behind whatever else is asked of the engine: only a start waits for it, which might be given a
 * port that one of these runs has.
 */
final class Adoption {

    private static final Logger log = System.getLogger(Adoption.class.getName());
    private static final int TRIES = 3;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** What is done for one run. */
    interface Step {
        void take(RunFolder run) throws IOException;
    }

    private final EngineMetrics metrics;
    private final Step step;
    private final Promise<Void> over = Promise.promise();
    private volatile int left;
    private volatile boolean closed;

    Adoption(EngineMetrics metrics, Step step) {
        this.metrics = metrics;
        this.step = step;
    }

    /** @param afterwards keeps nobody waiting */
    void begin(List<RunFolder> found, Runnable afterwards) {
        left(found.size());
        Thread.ofPlatform().daemon().name("sluice-engine-adopts").start(() -> {
            try {
                takeAll(found);
            } finally {
                over.complete();
            }
            if (!closed) {
                afterwards.run();
            }
        });
    }

    Future<Void> over() {
        return over.future();
    }

    /** Why a call failed that waited for this in vain. */
    <T> Future<T> explain(Throwable e) {
        return Future.failedFuture(
                over.future().isComplete()
                        ? e
                        : new Unavailable(
                                "the process engine is still taking over " + left
                                        + " runs of an earlier gateway, and starts none before",
                                e));
    }

    void close() {
        closed = true;
    }

    private void takeAll(List<RunFolder> found) {
        long began = System.nanoTime();
        for (var run : found) {
            if (closed) {
                return;
            }
            take(run);
            left(left - 1);
        }
        if (!found.isEmpty()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            log.log(Level.INFO, "engine=adopted runs={0} millis={1}", found.size(), millis);
        }
    }

    private void take(RunFolder run) {
        for (int tries = TRIES; tries > 0 && !closed; tries--) {
            try {
                step.take(run);
                return;
            } catch (NoSuchFileException removed) {
                return;
            } catch (IOException | RuntimeException e) {
                metrics.fault("adopt");
                log.log(Level.ERROR, "engine=fault work=adopt run={0} cause=\"{1}\"", run.name(), e.getMessage());
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private void left(int runs) {
        left = runs;
        metrics.adopting(runs);
    }
}
