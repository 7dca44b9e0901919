package io.sluice.telemetry.history;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Remembers tasks: the last two hours of each that runs in memory, and in the database what it comes to, with its lines in a few hundred
 * points, which is also what a restart finds again.
 */
public final class History {
    private static final int TWO_HOURS = 1_440;
    private static final int FEWEST = 60;
    /** In floats, so four bytes each: 100 MB. */
    private static final long MOST_POINTS = 25_000_000;

    private static final System.Logger LOG = System.getLogger(History.class.getName());
    private static final int STORED_A_ROUND = 50;
    private static final long THIN_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int THINNED_AT_ONCE = 100;
    private static final Duration POINTS_KEPT = Duration.ofDays(30);
    private static final long STORE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final Duration ANSWER = Duration.ofSeconds(3);
    private static final Duration LAST = Duration.ofSeconds(2);

    private final SummaryStore store;
    private final HistoryMetrics metrics;
    private final Map<Long, Kept> kept = new ConcurrentHashMap<>();
    private final Map<Long, Holder> holders = new ConcurrentHashMap<>();
    /** Those that have ended and are not written yet. */
    private final Map<Long, Holder> ended = new ConcurrentHashMap<>();
    /** Those of which it is known what an earlier gateway has kept. */
    private final Set<Long> restored = ConcurrentHashMap.newKeySet();

    private final Semaphore work = new Semaphore(0);
    private volatile int most = TWO_HOURS;
    private volatile boolean closed;
    private @Nullable Thread keeper;

    public History(Database database, CollectorRegistry registry) {
        this.store = new SummaryStore(database);
        this.metrics = new HistoryMetrics(registry);
    }

    HistoryMetrics metrics() {
        return metrics;
    }

    /** Begins to write down what is taken. */
    public void start() {
        keeper = Thread.ofVirtual().name("telemetry-history").start(this::keep);
    }

    /** One round; it waits for nobody. */
    public void take(Observation seen) {
        Map<Long, List<Seen>> devices = seen.devices().stream()
                .filter(device -> device.holder() != null)
                .collect(Collectors.groupingBy(
                        device -> Objects.requireNonNull(device.holder()).task()));
        int rows = most(seen, devices);
        most = rows;
        for (Doing doing : seen.tasks()) {
            Holder holder = doing.holder();
            List<Seen> its = devices.getOrDefault(holder.task(), List.of());
            if (holder.launched() != null && its.size() == holder.devices().size()) {
                holders.put(holder.task(), holder);
                kept.compute(holder.task(), (task, known) -> {
                    Kept one = known == null ? Kept.begun(task, its) : known;
                    one.take(seen.at(), doing, its, rows);
                    return one;
                });
            }
        }
        var live = seen.tasks().stream().map(doing -> doing.holder().task()).collect(Collectors.toSet());
        holders.forEach((task, holder) -> {
            if (!live.contains(task)) {
                ended.put(task, holder);
            }
        });
        metrics.behind(ended.size());
        metrics.points(
                kept.values().stream().mapToLong(one -> one.track().floats()).sum(), rows);
        work.release();
    }

    /** The more is to be remembered, the shorter. */
    private static int most(Observation seen, Map<Long, List<Seen>> devices) {
        long lines = (long) seen.tasks().size() * Lines.OfTask.values().length
                + devices.values().stream().mapToLong(List::size).sum() * Lines.OF_DEVICES.size();
        return Math.clamp(MOST_POINTS / Math.max(1, lines), FEWEST, TWO_HOURS);
    }

    /** On a thread of its own: a database that is slow holds up nothing but this. */
    private void keep() {
        long thinned = System.nanoTime();
        while (!closed) {
            try {
                work.acquire();
                work.drainPermits();
                if (restore()) {
                    store();
                }
                if (System.nanoTime() - thinned > THIN_NANOS) {
                    thinned = System.nanoTime();
                    await(store.thin(POINTS_KEPT, THINNED_AT_ONCE), ANSWER).ifPresent(metrics::thinned);
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                metrics.stored(false);
                LOG.log(System.Logger.Level.WARNING, "event=history-not-kept cause=" + e);
            }
        }
    }

    /**
     * What an earlier gateway has kept of tasks that still run. Until that is known nothing is written, for it would be in the place of it.
     *
     * @return whether it could be asked
     */
    private boolean restore() {
        List<Long> unknown =
                kept.keySet().stream().filter(task -> !restored.contains(task)).toList();
        restored.retainAll(kept.keySet());
        if (unknown.isEmpty()) {
            return true;
        }
        Optional<List<Kept>> all = await(store.of(unknown), ANSWER);
        all.ifPresent(stored -> {
            stored.forEach(old -> kept.computeIfPresent(
                    old.task(), (task, younger) -> old.isLike(younger) ? old.with(younger, most) : younger));
            restored.addAll(unknown);
        });
        return all.isPresent();
    }

    private void store() {
        List<Holder> finished = ended.values().stream().limit(STORED_A_ROUND).toList();
        for (Holder holder : finished) {
            Kept one = kept.get(holder.task());
            if (one != null && !restored.contains(holder.task())) {
                continue;
            }
            if (one != null && !save(holder, one, true)) {
                return;
            }
            ended.remove(holder.task());
            holders.remove(holder.task());
            kept.remove(holder.task());
        }
        long now = System.nanoTime();
        List<Kept> due = kept.values().stream()
                .filter(one -> now - one.stored() > STORE_NANOS
                        && holders.containsKey(one.task())
                        && restored.contains(one.task()))
                .sorted(Comparator.comparingLong(Kept::stored))
                .limit(STORED_A_ROUND)
                .toList();
        for (Kept one : due) {
            Holder holder = holders.get(one.task());
            if (holder != null && !save(holder, one, false)) {
                return;
            }
            one.stored(now);
        }
    }

    /**
     * One that the database refuses holds up no other: it would be refused again.
     *
     * @return false where the database is away: again in the next round
     */
    private boolean save(Holder holder, Kept one, boolean finished) {
        Optional<Boolean> taken = await(
                store.save(holder, one, finished).map(true).recover(failure -> {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "event=history-not-stored task=" + holder.task() + " cause=" + failure);
                    return Database.isRefused(failure) ? Future.succeededFuture(false) : Future.failedFuture(failure);
                }),
                ANSWER);
        metrics.stored(taken.orElse(false));
        return taken.isPresent();
    }

    private static <T> Optional<T> await(Future<T> future, Duration most) {
        try {
            return Optional.of(
                    future.toCompletionStage().toCompletableFuture().get(most.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            return Optional.empty(); // counted by whoever asked, and tried again
        }
    }

    /** What is kept of these, whether they run or not. */
    public Future<List<Kept>> of(Collection<Long> tasks) {
        var found = new ArrayList<Kept>();
        var others = new ArrayList<Long>();
        for (Long task : tasks) {
            Kept here = kept.get(task);
            if (here == null) {
                others.add(task);
            } else {
                found.add(here);
            }
        }
        return others.isEmpty()
                ? Future.succeededFuture(found)
                : store.of(others).map(stored -> {
                    found.addAll(stored);
                    return found;
                });
    }

    /** Of a task that runs; empty where nothing is known of it yet. */
    public Optional<Kept> running(long task) {
        return Optional.ofNullable(kept.get(task));
    }

    /** Writes down what it can in a moment. */
    public Future<Void> close() {
        closed = true;
        Thread running = keeper;
        if (running != null) {
            running.interrupt();
        }
        List<Future<Void>> last = kept.values().stream()
                .filter(one -> holders.containsKey(one.task()) && restored.contains(one.task()))
                .limit(STORED_A_ROUND)
                .map(one -> store.save(Objects.requireNonNull(holders.get(one.task())), one, false))
                .toList();
        return Future.join(last)
                .<Void>mapEmpty()
                .timeout(LAST.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }
}
