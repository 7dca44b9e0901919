package io.sluice.endpoints;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Writes down now and then where somebody is, so that every gateway knows it. */
final class Uses {
    private static final System.Logger LOG = System.getLogger(Uses.class.getName());
    private static final long EVERY_MILLIS = 20_000;
    private static final Duration KEPT = Duration.ofDays(30);

    private final Vertx vertx;
    private final EndpointStore store;
    private final Supplier<Set<Long>> visited;
    private final long timer;

    /** @param visited the jobs where somebody is, or was since it was asked last */
    Uses(Vertx vertx, EndpointStore store, Supplier<Set<Long>> visited) {
        this.vertx = vertx;
        this.store = store;
        this.visited = visited;
        this.timer = vertx.setPeriodic(EVERY_MILLIS, tick -> write());
    }

    private void write() {
        Set<Long> jobs = visited.get();
        Future<Void> written = jobs.isEmpty() ? Future.succeededFuture() : store.use(jobs, KEPT);
        written.onFailure(failure ->
                LOG.log(System.Logger.Level.WARNING, "event=uses-not-written cause={0}", failure.toString()));
    }

    /** As of a moment ago. */
    Future<Map<Long, Instant>> of(Collection<Long> jobs) {
        return store.uses(jobs);
    }

    void close() {
        vertx.cancelTimer(timer);
    }
}
