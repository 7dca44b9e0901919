package io.sluice.logs;

import io.sluice.logs.follow.Tails;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The few threads that wait for files, with a limit on who waits for them. */
final class Worker implements Tails.Worker {
    private final WorkerExecutor threads;
    private final LogMetrics metrics;
    private final String name;
    private final int most;
    private final AtomicInteger calls = new AtomicInteger();

    Worker(Vertx vertx, String name, int threads, int most, LogMetrics metrics) {
        this.threads = vertx.createSharedWorkerExecutor("sluice-" + name, threads, 10, TimeUnit.MINUTES);
        this.name = name;
        this.most = most;
        this.metrics = metrics;
    }

    @Override
    public <T> Future<T> run(Callable<T> work) {
        if (calls.get() >= most) {
            metrics.refused(name);
            return Future.failedFuture(Problem.tooMany(
                    "Too much is being read from logs at the moment. Try again in a few seconds.",
                    Duration.ofSeconds(3)));
        }
        calls.incrementAndGet();
        metrics.began();
        return threads.executeBlocking(work, false).onComplete(done -> {
            calls.decrementAndGet();
            metrics.done();
        });
    }

    Future<Void> close() {
        return threads.close();
    }
}
