package io.sluice.logs;

import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Work that reads through whole logs: so many at once for one user and for all. They take turns on few processors, a slice of time each, so that a long one
 * makes a short one wait for a slice and not for its end; and one that waits for its reader has no turn.
 */
final class Turns {
    static final int ADMITTED = 18;
    private static final int AT_ONCE = 2;
    private static final int OF_ONE_USER = 4;
    private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(20);

    private final Worker worker;
    private final LogMetrics metrics;
    private final Semaphore processors = new Semaphore(AT_ONCE, true);
    private final Map<Long, Integer> running = new ConcurrentHashMap<>();

    Turns(Worker worker, LogMetrics metrics) {
        this.worker = worker;
        this.metrics = metrics;
    }

    /** What is done on a thread of its own, asking its turn often whether it may go on. */
    interface Work<T> {
        T run(Turn turn) throws IOException;
    }

    <T> Future<T> run(long user, Work<T> work) {
        if (running.merge(user, 1, Integer::sum) > OF_ONE_USER) {
            leave(user);
            metrics.refused("searches_per_user");
            return Future.failedFuture(Problem.tooMany(
                    "You have " + OF_ONE_USER + " searches going. Wait for one to end.", Duration.ofSeconds(2)));
        }
        return worker.run(() -> {
                    var turn = new Turn();
                    turn.take();
                    try {
                        return work.run(turn);
                    } finally {
                        turn.give();
                    }
                })
                .onComplete(over -> leave(user));
    }

    private void leave(long user) {
        running.computeIfPresent(user, (id, count) -> count == 1 ? null : count - 1);
    }

    /** One piece of work's right to a processor, for its own thread. */
    final class Turn {
        private long began;

        private void take() throws IOException {
            try {
                processors.acquire();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            began = System.nanoTime();
        }

        private void give() {
            processors.release();
        }

        /** Lets those go first who wait for a processor, once a slice is over. */
        void pass() throws IOException {
            if (System.nanoTime() - began > SLICE) {
                give();
                take();
            }
        }

        /** Waits for something else without a processor. */
        <T> T off(Callable<T> waiting) throws IOException {
            give();
            try {
                return waiting.call();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("the reader has gone, or takes nothing", e);
            } finally {
                take();
            }
        }
    }
}
