package io.sluice.files.centre;

import io.sluice.files.tree.Threads;
import io.sluice.files.uploads.Receiving;
import io.sluice.web.Problem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The few threads that wait for people's disks, and act as one of them at a time; nobody has all of them waiting for theirs. They are nobody
 * else's: the rights that one takes on are its own.
 */
final class Worker {
    private static final int MOST = 1_024;

    private final int mostEach;
    /** Of one person's at the same time; what is more waits for those. */
    private final int mostRunning;

    /** @param refused when there are no threads any more */
    private record Step(Runnable work, Runnable refused) {}

    /** What one person has under way. */
    private static final class Lane {
        final Deque<Step> waiting = new ArrayDeque<>();
        int running;
        int calls;
    }

    private final Vertx vertx;
    private final ExecutorService threads;
    private final CentreMetrics metrics;
    private final AtomicInteger calls = new AtomicInteger();
    /** Its own lock. */
    private final Map<Long, Lane> lanes = new HashMap<>();

    /** For what is over before anybody wonders. */
    static Worker quick(Vertx vertx, CentreMetrics metrics) {
        return new Worker(vertx, metrics, "sluice-files-", 16, 64, 4);
    }

    /** For what goes by the size of what it is done to. */
    static Worker slow(Vertx vertx, CentreMetrics metrics) {
        return new Worker(vertx, metrics, "sluice-files-slow-", 8, 16, 2);
    }

    /** For what says that something goes on. Nobody waits for a disk with more than one of them. */
    static Worker beats(Vertx vertx, CentreMetrics metrics) {
        return new Worker(vertx, metrics, "sluice-files-beats-", 4, 16, 1);
    }

    private Worker(Vertx vertx, CentreMetrics metrics, String name, int count, int mostEach, int mostRunning) {
        this.mostEach = mostEach;
        this.mostRunning = mostRunning;
        this.vertx = vertx;
        this.metrics = metrics;
        this.threads = Threads.pool(name, count);
    }

    Receiving.Worker of(long user) {
        return new Receiving.Worker() {
            @Override
            public <T> Future<T> run(Callable<T> work) {
                return Worker.this.run(user, work);
            }

            @Override
            public <T> Future<T> after(Callable<T> work) {
                return done(user, work);
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
        if (!enter(user)) {
            return refuse("calls_per_user");
        }
        calls.incrementAndGet();
        metrics.began();
        return done(user, work).onComplete(done -> {
            leave(user);
            calls.decrementAndGet();
            metrics.done();
        });
    }

    private boolean enter(long user) {
        synchronized (lanes) {
            Lane lane = lanes.computeIfAbsent(user, who -> new Lane());
            return lane.calls < mostEach && ++lane.calls > 0;
        }
    }

    private void leave(long user) {
        synchronized (lanes) {
            lanes.computeIfPresent(user, (who, lane) -> --lane.calls == 0 && lane.running == 0 ? null : lane);
        }
    }

    private <T> Future<T> done(long user, Callable<T> work) {
        Context context = context();
        Promise<T> promise = Promise.promise();
        launch(first(
                user,
                new Step(
                        () -> {
                            take(work, promise, context);
                            launch(next(user));
                        },
                        () -> {
                            context.runOnContext(now -> promise.fail(stopping()));
                            launch(next(user));
                        })));
        return promise.future();
    }

    /** Whoever waits is told of any failure: a call that never ended would count for ever. */
    private static <T> void take(Callable<T> work, Promise<T> promise, Context context) {
        try {
            T result = Told.of(work);
            context.runOnContext(now -> promise.complete(result));
        } catch (Throwable e) {
            context.runOnContext(now -> promise.fail(e));
        }
    }

    /** Null: it waits for others of the same person's. */
    private @Nullable Step first(long user, Step step) {
        synchronized (lanes) {
            Lane lane = lanes.computeIfAbsent(user, who -> new Lane());
            if (lane.running < mostRunning) {
                lane.running++;
                return step;
            }
            lane.waiting.add(step);
            return null;
        }
    }

    private @Nullable Step next(long user) {
        synchronized (lanes) {
            Lane lane = Objects.requireNonNull(lanes.get(user), "whose step has just run");
            Step next = lane.waiting.poll();
            if (next == null && --lane.running == 0 && lane.calls == 0) {
                lanes.remove(user);
            }
            return next;
        }
    }

    private void launch(@Nullable Step step) {
        if (step == null) {
            return;
        }
        try {
            threads.execute(step.work());
        } catch (RejectedExecutionException closed) {
            step.refused().run();
        }
    }

    private static Problem stopping() {
        return Problem.unavailable(
                "The gateway stops. Try again in a moment.",
                new RejectedExecutionException("no threads for files any more"),
                Duration.ofSeconds(5));
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
