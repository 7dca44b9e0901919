package io.sluice.engines.process;

import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The few threads on which this room waits for the operating system. */
final class Worker {

    private static final int THREADS = 4;
    /** For what is over: in a crowd that begins and ends, the ends wait for no more than one another. */
    private static final int THREADS_AFTER = 2;

    private static final int MOST = 4096;
    private static final long LIMIT_SECONDS = 30;
    /** Nobody can ask again for an opening, and a machine that is busy starts slowly. */
    private static final long OPENING_SECONDS = 110;

    private final WorkerExecutor threads;
    private final WorkerExecutor after;
    private final EngineMetrics metrics;
    private final AtomicInteger calls = new AtomicInteger();

    Worker(Vertx vertx, EngineMetrics metrics) {
        this.threads = vertx.createSharedWorkerExecutor("sluice-engine", THREADS, LIMIT_SECONDS, TimeUnit.SECONDS);
        this.after =
                vertx.createSharedWorkerExecutor("sluice-engine-after", THREADS_AFTER, LIMIT_SECONDS, TimeUnit.SECONDS);
        this.metrics = metrics;
    }

    <T> Future<T> run(Callable<T> work) {
        return run(threads, work, Future.succeededFuture(), LIMIT_SECONDS);
    }

    /** Not before something else is done; to wait for that is part of the call. */
    <T> Future<T> run(Future<Void> first, Callable<T> work) {
        return run(threads, work, first, LIMIT_SECONDS);
    }

    <T> Future<T> open(Callable<T> work) {
        return run(threads, work, Future.succeededFuture(), OPENING_SECONDS);
    }

    /** What is to be done for a run that is over. */
    <T> Future<T> after(Callable<T> work) {
        return run(after, work, Future.succeededFuture(), LIMIT_SECONDS);
    }

    private <T> Future<T> run(WorkerExecutor threads, Callable<T> work, Future<Void> first, long seconds) {
        if (calls.get() >= MOST) {
            metrics.refused();
            return Future.failedFuture(new Unavailable("the engine has " + MOST + " calls to answer already", null));
        }
        metrics.calls(calls.incrementAndGet());
        var abandoned = new AtomicBoolean();
        return first.compose(done -> threads.executeBlocking(() -> wanted(work, abandoned), false))
                .onComplete(done -> metrics.calls(calls.decrementAndGet()))
                .timeout(seconds, TimeUnit.SECONDS)
                .onFailure(e -> abandoned.set(true))
                .recover(e -> Future.failedFuture(
                        e instanceof RuntimeException refusal
                                ? refusal
                                : new Unavailable("the process engine: " + reason(e, seconds), e)));
    }

    private static String reason(Throwable e, long seconds) {
        return e instanceof TimeoutException
                ? "no answer within " + seconds + " s; this machine has too much to do"
                : String.valueOf(e.getMessage());
    }

    /** Whoever was told that it takes too long may have asked for the opposite since: nothing begins in its name any more. */
    private static <T> T wanted(Callable<T> work, AtomicBoolean abandoned) throws Exception {
        if (abandoned.get()) {
            throw new Unavailable("nobody waits for this any more", null);
        }
        return work.call();
    }

    Future<Void> close() {
        return threads.close().eventually(after::close);
    }
}
