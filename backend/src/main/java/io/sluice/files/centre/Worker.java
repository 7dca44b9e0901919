package io.sluice.files.centre;

import io.sluice.files.uploads.Receiving;
import io.sluice.web.Problem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The few threads that wait for people's disks, and act as one of them at a time; nobody has all of them waiting for theirs. They are nobody
 * else's: the rights that one takes on are its own.
 */
final class Worker {
    private static final int THREADS = 16;
    private static final int MOST = 1_024;
    private static final int MOST_EACH = 64;

    private final Vertx vertx;
    private final ExecutorService threads;
    private final CentreMetrics metrics;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Long, Integer> each = new ConcurrentHashMap<>();

    Worker(Vertx vertx, CentreMetrics metrics) {
        this.vertx = vertx;
        this.metrics = metrics;
        // how much waits in its queue is counted before it comes there
        var pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().name("sluice-files-", 0).daemon().factory());
        pool.allowCoreThreadTimeOut(true);
        this.threads = pool;
    }

    Receiving.Worker of(long user) {
        return new Receiving.Worker() {
            @Override
            public <T> Future<T> run(Callable<T> work) {
                return Worker.this.run(user, work);
            }

            @Override
            public <T> Future<T> after(Callable<T> work) {
                return done(work);
            }
        };
    }

    /** On which whoever calls is answered. */
    Context context() {
        return vertx.getOrCreateContext();
    }

    <T> Future<T> run(long user, Callable<T> work) {
        if (calls.get() >= MOST) {
            return refuse("calls");
        }
        if (each.merge(user, 1, Integer::sum) > MOST_EACH) {
            leave(user);
            return refuse("calls_per_user");
        }
        calls.incrementAndGet();
        metrics.began();
        return done(work).onComplete(done -> {
            leave(user);
            calls.decrementAndGet();
            metrics.done();
        });
    }

    private <T> Future<T> done(Callable<T> work) {
        Context context = context();
        Promise<T> promise = Promise.promise();
        try {
            threads.execute(() -> {
                try {
                    T result = Told.of(work);
                    context.runOnContext(now -> promise.complete(result));
                } catch (Exception | LinkageError e) {
                    context.runOnContext(now -> promise.fail(e));
                }
            });
        } catch (RejectedExecutionException closed) {
            promise.fail(
                    Problem.unavailable("The gateway stops. Try again in a moment.", closed, Duration.ofSeconds(5)));
        }
        return promise.future();
    }

    private void leave(long user) {
        each.computeIfPresent(user, (who, count) -> count == 1 ? null : count - 1);
    }

    private <T> Future<T> refuse(String limit) {
        metrics.refused(limit);
        return Future.failedFuture(Problem.tooMany(
                "Too much is being done with files at the moment. Try again in a few seconds.", Duration.ofSeconds(3)));
    }

    Future<Void> close() {
        threads.shutdown();
        return Future.succeededFuture();
    }
}
