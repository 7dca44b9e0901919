package io.sluice.jobs.overview;

import io.sluice.jobs.Job;
import io.sluice.jobs.Jobs;
import io.sluice.web.Caller;
import io.vertx.core.Vertx;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of each user are not over, for every page's doors and the list's chips. One query for all viewers, at most every {@value
 * #PAUSE_MILLIS} ms while things change; what a viewer sees may be so much behind.
 */
final class Tally {
    private static final long PAUSE_MILLIS = 250;
    /** A ring may be lost. */
    private static final long LOOK_MILLIS = 15_000;

    private final Vertx vertx;
    private final Jobs jobs;
    private final long looking;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicBoolean stale = new AtomicBoolean();
    private volatile boolean closed;
    private volatile Map<String, Map<Job.State, Long>> counts = Map.of();
    private volatile @Nullable Runnable changed;

    Tally(Vertx vertx, Jobs jobs) {
        this.vertx = vertx;
        this.jobs = jobs;
        this.looking = vertx.setPeriodic(0, LOOK_MILLIS, tick -> forget());
    }

    /** Who is told when a count is another. */
    void told(Runnable changed) {
        this.changed = changed;
    }

    /** Of what the caller may see; states without a job are absent. */
    Map<Job.State, Long> of(Caller caller) {
        return caller.admin() ? all() : of(caller.name());
    }

    Map<Job.State, Long> of(String user) {
        return counts.getOrDefault(user, Map.of());
    }

    private Map<Job.State, Long> all() {
        Map<Job.State, Long> sum = new EnumMap<>(Job.State.class);
        counts.values().forEach(one -> one.forEach((state, count) -> sum.merge(state, count, Long::sum)));
        return sum;
    }

    /** Something changed. Callable from any thread. */
    void forget() {
        stale.set(true);
        if (!closed && busy.compareAndSet(false, true)) {
            read();
        }
    }

    private void read() {
        stale.set(false);
        // what fails now is read at the next ring or look
        jobs.unfinishedOfAll()
                .onSuccess(this::keep)
                .onComplete(read -> vertx.setTimer(PAUSE_MILLIS, over -> {
                    busy.set(false);
                    if (stale.get()) {
                        forget();
                    }
                }));
    }

    private void keep(Map<String, Map<Job.State, Long>> read) {
        boolean news = !read.equals(counts);
        counts = read;
        Runnable tell = changed;
        if (news && tell != null) {
            tell.run();
        }
    }

    void close() {
        closed = true;
        vertx.cancelTimer(looking);
    }
}
