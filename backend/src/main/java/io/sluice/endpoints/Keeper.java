package io.sluice.endpoints;

import io.sluice.endpoints.Endpoint.State;
import io.sluice.endpoints.road.Excuse;
import io.sluice.endpoints.road.Road;
import io.sluice.jobs.lists.Places;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks again and again how endpoints stand and how they should, and brings each a step closer. It remembers nothing that the database does not. */
final class Keeper {
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());
    private static final long TICK_MILLIS = 700;
    private static final int REST_TICKS = 7;
    /** From one look to the next, however many guests knock. */
    private static final long PAUSE_MILLIS = 100;

    private final Vertx vertx;
    private final Places places;
    private final EndpointStore store;
    private final Steps steps;
    private final Road road;
    private final EndpointMetrics metrics;
    private final Wishes wishes;
    private final Unknown unknown = new Unknown(System::nanoTime);
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean again = new AtomicBoolean();
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    private volatile Map<String, Endpoint> known = Map.of();
    private volatile boolean moving;
    private volatile boolean closed;
    private final AtomicBoolean knocked = new AtomicBoolean();
    private volatile long looked = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    private long ticks;
    private final long timer;

    Keeper(Vertx vertx, Places places, EndpointStore store, Steps steps, Road road, EndpointMetrics metrics) {
        this.vertx = vertx;
        this.places = places;
        this.store = store;
        this.steps = steps;
        this.road = road;
        this.metrics = metrics;
        this.wishes = new Wishes(places, store, metrics);
        this.timer = vertx.setPeriodic(TICK_MILLIS, tick -> {
            if (moving || ++ticks % REST_TICKS == 0) {
                ring();
            }
        });
    }

    /** As of the last look; null: it is over, or none. */
    @Nullable
    Endpoint known(String id) {
        return known.get(id);
    }

    void ring() {
        again.set(true);
        lookAgain();
    }

    /** Whoever rings while somebody looks is seen by whoever has looked: it is written down before, and read after. */
    private void lookAgain() {
        if (closed || !again.get() || !looking.compareAndSet(false, true)) {
            return;
        }
        looked = System.nanoTime();
        again.set(false);
        metrics.look();
        look().onFailure(this::fault).onComplete(over -> {
            looking.set(false);
            lookAgain();
        });
    }

    /** Somebody has found one away. What changed rings at once; of those who come for it there may be many. */
    private void knock() {
        if (System.nanoTime() - looked >= TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS)) {
            ring();
        } else if (knocked.compareAndSet(false, true)) {
            vertx.setTimer(PAUSE_MILLIS, rested -> {
                knocked.set(false);
                ring();
            });
        }
    }

    private Future<Void> look() {
        return places.active()
                .compose(active -> wishes.read(active)
                        .compose(added -> store.live())
                        .compose(live -> {
                            known = live.stream()
                                    .collect(Collectors.toUnmodifiableMap(Endpoint::id, Function.identity()));
                            metrics.live(live.size());
                            moving = live.stream()
                                    .anyMatch(one -> one.wanted()
                                            && (one.state() == State.STARTING || one.state() == State.WAITING));
                            var byJob =
                                    active.stream().collect(Collectors.toMap(Places.Active::job, Function.identity()));
                            road.recheck();
                            steps.forgetAllBut(known.keySet());
                            return over(live, byJob.keySet()).map(over -> {
                                live.stream()
                                        .filter(one -> !over.contains(one.job()))
                                        .forEach(one -> step(one, task(one, byJob.get(one.job()))));
                                return null;
                            });
                        }));
    }

    private Future<Set<Long>> over(List<Endpoint> live, Collection<Long> active) {
        List<Long> asked = live.stream()
                .map(Endpoint::job)
                .filter(job -> !active.contains(job))
                .distinct()
                .toList();
        if (asked.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        return places.over(asked).compose(over -> {
            live.stream().filter(one -> over.contains(one.job())).forEach(one -> road.close(one.id()));
            return over.isEmpty()
                    ? Future.succeededFuture(Set.of())
                    : store.ended(over).map(ended -> new HashSet<>(over));
        });
    }

    /**
     * Why it is not there, for whoever came by its name.
     *
     * @param guest whether they have a pass: anybody may ask, and must not keep the gateway looking
     */
    Future<Excuse> excuse(String id, boolean guest) {
        if (guest) {
            steps.doubt(id);
            knock();
        } else if (unknown.holds(id)) {
            return Future.succeededFuture(Excuse.of(Excuse.Kind.UNKNOWN));
        }
        return store.find(id)
                .compose(found -> found.map(this::excuse).orElseGet(() -> {
                    unknown.add(id);
                    return Future.succeededFuture(Excuse.of(Excuse.Kind.UNKNOWN));
                }));
    }

    /** As it stands now: what was written down of one that has just been switched off, or whose job is over, is older. */
    private Future<Excuse> excuse(Endpoint endpoint) {
        return switch (endpoint.state()) {
            case WAITING, STARTING, READY ->
                places.course(endpoint.job())
                        .map(course -> Excuse.of(
                                switch (course) {
                                    case OVER -> Excuse.Kind.ENDED;
                                    case ENDING -> Excuse.Kind.ENDING;
                                    case GOING -> endpoint.wanted() ? Excuse.Kind.STARTING : Excuse.Kind.OFF;
                                }));
            case FAILED -> Future.succeededFuture(new Excuse(Excuse.Kind.FAILED, null, endpoint.output(), false));
            case OFF -> Future.succeededFuture(Excuse.of(Excuse.Kind.OFF));
            case ENDED -> Future.succeededFuture(Excuse.of(Excuse.Kind.ENDED));
        };
    }

    private static Optional<Places.Task> task(Endpoint endpoint, Places.@Nullable Active job) {
        return Stream.ofNullable(job)
                .flatMap(active -> active.tasks().stream())
                .filter(task -> task.role().equals(endpoint.role()) && task.index() == endpoint.index())
                .findFirst();
    }

    private void step(Endpoint endpoint, Optional<Places.Task> task) {
        if (closed || !busy.add(endpoint.id())) {
            return;
        }
        Future.succeededFuture()
                .compose(begun -> steps.step(endpoint, task))
                .onSuccess(changed -> {
                    if (changed) {
                        again.set(true);
                    }
                })
                .onFailure(failure -> {
                    metrics.fault();
                    LOG.log(
                            System.Logger.Level.DEBUG,
                            "event=endpoint-step-failed endpoint={0} cause=\"{1}\"",
                            endpoint.id(),
                            failure.getMessage());
                })
                .onComplete(done -> {
                    busy.remove(endpoint.id());
                    lookAgain();
                });
    }

    /** Of work beside the looking. */
    void note(Future<Void> work) {
        work.onFailure(this::fault);
    }

    private void fault(Throwable failure) {
        metrics.fault();
        LOG.log(System.Logger.Level.WARNING, "event=endpoints-not-looked-at cause=\"{0}\"", failure.getMessage());
    }

    void close() {
        closed = true;
        vertx.cancelTimer(timer);
    }

    /** Names that were asked for a moment ago and are no endpoint's: whoever goes on asking costs no question to the database. */
    static final class Unknown {
        static final int MOST = 1_000;
        static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

        /** In nanoseconds. */
        private final LongSupplier clock;
        /** And when each was asked for. */
        private final Map<String, Long> ids = new ConcurrentHashMap<>();

        Unknown(LongSupplier clock) {
            this.clock = clock;
        }

        void add(String id) {
            if (ids.size() >= MOST) {
                ids.clear();
            }
            ids.put(id, clock.getAsLong());
        }

        boolean holds(String id) {
            Long since = ids.get(id);
            return since != null && clock.getAsLong() - since < KEPT_NANOS;
        }
    }
}
