package io.sluice.engines.process;

import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The few threads on which this room waits for the operating system. */
final class Worker {

    private static final int THREADS = 4;
    private static final int MOST = 4096;
    private static final long LIMIT_SECONDS = 30;

    private final WorkerExecutor threads;
    private final EngineMetrics metrics;
    private final AtomicInteger calls = new AtomicInteger();

    Worker(Vertx vertx, EngineMetrics metrics) {
        this.threads = vertx.createSharedWorkerExecutor("sluice-engine", THREADS, LIMIT_SECONDS, TimeUnit.SECONDS);
        this.metrics = metrics;
    }

    <T> Future<T> run(Callable<T> work) {
        if (calls.get() >= MOST) {
            metrics.refused();
            return Future.failedFuture(new Unavailable("the engine has " + MOST + " calls to answer already", null));
        }
        metrics.calls(calls.incrementAndGet());
        return threads.executeBlocking(work, false)
                .onComplete(done -> metrics.calls(calls.decrementAndGet()))
                .timeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                .recover(e -> Future.failedFuture(
                        e instanceof RuntimeException refusal
                                ? refusal
                                : new Unavailable("the process engine: " + e.getMessage(), e)));
    }

    Future<Void> close() {
        return threads.close();
    }
}
