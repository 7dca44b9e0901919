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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Remembers tasks: the last two hours of each that runs in memory, and in the database what it comes to, with its lines in a few hundred
 * points, which is also what a restart finds again.
 */
public final class History {
    private static final int TWO_HOURS = 1_440;
    private static final int FEWEST = 60;
    /** In floats, so four bytes each: 100 MB. */
    private static final long MOST_POINTS = 25_000_000;

    private static final int STORED_A_ROUND = 50;
    private static final long STORE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final Duration ANSWER = Duration.ofSeconds(3);
    private static final Duration LAST = Duration.ofSeconds(2);

    private final SummaryStore store;
    private final HistoryMetrics metrics;
    private final Map<Long, Kept> kept = new ConcurrentHashMap<>();
    private final Map<Long, Holder> holders = new ConcurrentHashMap<>();
    /** Those that have ended and are not written yet. */
    private final Map<Long, Holder> ended = new HashMap<>();

    public History(Database database, CollectorRegistry registry) {
        this.store = new SummaryStore(database);
        this.metrics = new HistoryMetrics(registry);
    }

    HistoryMetrics metrics() {
        return metrics;
    }

    /** One round; on a thread that may wait. */
    public void take(Observation seen) {
        Map<Long, List<Seen>> devices = seen.devices().stream()
                .filter(device -> device.holder() != null)
                .collect(Collectors.groupingBy(
                        device -> Objects.requireNonNull(device.holder()).task()));
        restore(seen);
        int most = most(seen, devices);
        for (Doing doing : seen.tasks()) {
            Holder holder = doing.holder();
            List<Seen> its = devices.getOrDefault(holder.task(), List.of());
            if (holder.launched() != null && its.size() == holder.devices().size()) {
                holders.put(holder.task(), holder);
                kept.computeIfAbsent(holder.task(), task -> Kept.begun(task, its))
                        .take(seen.at(), doing, its, most);
            }
        }
        var live = seen.tasks().stream().map(doing -> doing.holder().task()).collect(Collectors.toSet());
        holders.forEach((task, holder) -> {
            if (!live.contains(task)) {
                ended.put(task, holder);
            }
        });
        store();
        metrics.points(
                kept.values().stream().mapToLong(one -> one.track().floats()).sum(), most);
    }

    /** The more is to be remembered, the shorter. */
    private static int most(Observation seen, Map<Long, List<Seen>> devices) {
        long lines = (long) seen.tasks().size() * Lines.OfTask.values().length
                + devices.values().stream().mapToLong(List::size).sum() * Lines.OF_DEVICES.size();
        return Math.clamp(MOST_POINTS / Math.max(1, lines), FEWEST, TWO_HOURS);
    }

    /** What an earlier gateway has kept of tasks that still run. */
    private void restore(Observation seen) {
        List<Long> unknown = seen.tasks().stream()
                .map(doing -> doing.holder().task())
                .filter(task -> !kept.containsKey(task))
                .toList();
        if (!unknown.isEmpty()) {
            await(store.of(unknown), ANSWER).ifPresent(all -> all.forEach(one -> kept.put(one.task(), one)));
        }
    }

    private void store() {
        List<Holder> finished = ended.values().stream().limit(STORED_A_ROUND).toList();
        for (Holder holder : finished) {
            Kept one = kept.get(holder.task());
            if (one == null
                    || await(store.save(holder, one, true).map(true), ANSWER).isPresent()) {
                ended.remove(holder.task());
                holders.remove(holder.task());
                kept.remove(holder.task());
                metrics.stored(true);
            } else {
                metrics.stored(false);
                return; // the database is away: again in the next round
            }
        }
        long now = System.nanoTime();
        kept.values().stream()
                .filter(one -> now - one.stored() > STORE_NANOS && holders.containsKey(one.task()))
                .sorted(Comparator.comparingLong(Kept::stored))
                .limit(STORED_A_ROUND)
                .forEach(one -> {
                    one.stored(now);
                    metrics.stored(await(
                                    store.save(Objects.requireNonNull(holders.get(one.task())), one, false)
                                            .map(true),
                                    ANSWER)
                            .isPresent());
                });
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
        List<Future<Void>> last = kept.values().stream()
                .filter(one -> holders.containsKey(one.task()))
                .limit(STORED_A_ROUND)
                .map(one -> store.save(Objects.requireNonNull(holders.get(one.task())), one, false))
                .toList();
        return Future.join(last)
                .<Void>mapEmpty()
                .timeout(LAST.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }
}
