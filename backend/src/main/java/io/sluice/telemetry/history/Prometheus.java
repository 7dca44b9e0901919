package io.sluice.telemetry.history;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.Lines.Line;
import io.sluice.telemetry.history.Lines.OfTask;
import io.sluice.telemetry.history.Series.Drawn;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The history of tasks: from Prometheus where there is one and it answers in time, otherwise from what is kept here. Whatever it answers, no
 * more is read than a chart can use, and nobody waits longer than two seconds.
 */
public final class Prometheus {
    private static final long LIMIT_MILLIS = 2_000;
    private static final int MOST_BYTES = 8 << 20;
    private static final int AT_ONCE = 4;
    /** Charts that are asked for at one time: each is a question a metric, and all of those fit into the queue. */
    private static final int MOST_CHARTS = 8;

    private static final int WAITING = MOST_CHARTS * (OfTask.values().length + Lines.OF_DEVICES.size());
    /** The finest that is asked for; Prometheus is seldom told more often. */
    private static final long FINEST_MILLIS = 15_000;

    private final Vertx vertx;
    private final Function<Collection<Long>, Future<List<Kept>>> history;
    private final HistoryMetrics metrics;
    private final Upstream upstream;
    private final Breaker breaker = new Breaker(System::nanoTime);
    private final AtomicInteger charts = new AtomicInteger();

    public Prometheus(Vertx vertx, Supplier<Upstream.@Nullable Place> place, History history) {
        this(vertx, place, history::of, history.metrics());
    }

    Prometheus(
            Vertx vertx,
            Supplier<Upstream.@Nullable Place> place,
            Function<Collection<Long>, Future<List<Kept>>> history,
            HistoryMetrics metrics) {
        this.vertx = vertx;
        this.history = history;
        this.metrics = metrics;
        this.upstream = new Upstream(vertx, place, new Upstream.Limits(AT_ONCE, WAITING, LIMIT_MILLIS, MOST_BYTES));
    }

    /**
     * What is wanted.
     *
     * @param job its key, and {@code attempt} which of its attempts the tasks are of
     * @param metrics by their keys
     * @param step 0: whatever suits
     * @param stored whether Prometheus is asked although what is here is as fine
     */
    public record Wish(
            String job,
            int attempt,
            List<JobDetail.Task> tasks,
            Set<String> metrics,
            long from,
            long to,
            long step,
            boolean stored) {
        public Wish {
            tasks = List.copyOf(tasks);
            metrics = Set.copyOf(metrics);
        }
    }

    public Future<Series> series(Wish wish) {
        return history.apply(wish.tasks().stream().map(JobDetail.Task::id).toList())
                .compose(kept -> {
                    List<Series.Source> sources = wish.tasks().stream()
                            .flatMap(task -> kept.stream()
                                    .filter(one -> one.task() == task.id())
                                    .map(one -> new Series.Source(task.role(), task.index(), task.node(), one)))
                            .toList();
                    Series own = Series.of(sources, wish.from(), wish.to(), wish.step());
                    long best = Series.step(wish.from(), wish.to(), wish.step(), 5_000);
                    // what is here is as fine as what is there, and newer
                    return !upstream.isThere()
                                    || (!wish.stored()
                                            && Series.grain(sources, wish.from()) <= best
                                            && !sources.isEmpty())
                            ? Future.succeededFuture(own)
                            : there(wish, sources, Math.max(best, FINEST_MILLIS), own);
                });
    }

    /** What Prometheus has; what is kept here where it has nothing, does not answer, or has enough to do. */
    private Future<Series> there(Wish wish, List<Series.Source> sources, long step, Series own) {
        if (charts.incrementAndGet() > MOST_CHARTS) {
            charts.decrementAndGet();
            metrics.asked("busy");
            return Future.succeededFuture(own);
        }
        if (breaker.isOpen()) {
            charts.decrementAndGet();
            metrics.asked("not_asked");
            return Future.succeededFuture(own);
        }
        return asked(wish, sources, step)
                .map(series -> series.isEmpty() ? own : series)
                .otherwise(own)
                .eventually(() -> {
                    charts.decrementAndGet();
                    return Future.succeededFuture();
                });
    }

    private Future<Series> asked(Wish wish, List<Series.Source> known, long step) {
        Map<String, JobDetail.Task> tasks = new LinkedHashMap<>();
        // as the exposition names them
        wish.tasks()
                .forEach(task -> tasks.put(
                        wish.attempt() + "." + task.role() + "." + task.index() + "." + task.attempt(), task));
        String select = Lines.selecting(wish.job(), tasks.keySet());
        List<Future<List<Drawn>>> lines = new ArrayList<>();
        for (OfTask metric : OfTask.values()) {
            if (wish.metrics().contains(metric.key())) {
                lines.add(query(metric.query(select, step), wish, step)
                        .map(answer -> ofTasks(answer, tasks, metric.key(), known)));
            }
        }
        Map<String, Set<String>> devices = devices(wish.tasks());
        for (Metric metric : devices.isEmpty() ? List.<Metric>of() : Lines.OF_DEVICES) {
            if (wish.metrics().contains(metric.key())) {
                lines.add(query(Lines.query(metric, devices, step), wish, step)
                        .map(answer -> ofDevices(answer, wish, step, metric.key(), known)));
            }
        }
        return Future.all(lines)
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
                .map(all -> new Series(
                        wish.from(),
                        wish.to(),
                        step,
                        "prometheus",
                        lines.stream().flatMap(one -> one.result().stream()).toList()))
                .onSuccess(all -> {
                    breaker.succeeded();
                    metrics.asked(all.isEmpty() ? "empty" : "answered");
                })
                .onFailure(failure -> {
                    breaker.failed();
                    metrics.asked(failure instanceof java.util.concurrent.TimeoutException ? "too_slow" : "failed");
                });
    }

    /** Half a step later, for the value of a place is the mean of what is around it. */
    private Future<List<Matrix.Line>> query(String expression, Wish wish, long step) {
        long first = wish.from() + step / 2;
        int count = (int) ((wish.to() - wish.from()) / step) + 1;
        var form = List.of(
                Map.entry("query", expression),
                Map.entry("start", Double.toString(first / 1000.0)),
                Map.entry("end", Double.toString((first + (count - 1) * step) / 1000.0)),
                Map.entry("step", Double.toString(step / 1000.0)),
                Map.entry("timeout", "2s"));
        return upstream.ask(HttpMethod.POST, "query_range", form)
                .compose(answer -> vertx.executeBlocking(
                        () -> Matrix.of(answer.body().getBytes(), new Matrix.Axis(first, step, count)), false))
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** By node. */
    private static Map<String, Set<String>> devices(List<JobDetail.Task> tasks) {
        Map<String, Set<String>> devices = new TreeMap<>();
        for (JobDetail.Task task : tasks) {
            if (!task.devices().isEmpty()) {
                devices.computeIfAbsent(task.node(), first -> new TreeSet<>()).addAll(task.devices());
            }
        }
        return devices;
    }

    private static List<Drawn> ofTasks(
            List<Matrix.Line> answer, Map<String, JobDetail.Task> tasks, String metric, List<Series.Source> known) {
        List<Drawn> lines = new ArrayList<>();
        for (Matrix.Line one : answer) {
            JobDetail.Task task = tasks.get(one.task());
            if (task != null) {
                lines.add(drawn(task, metric, null, one.values(), known));
            }
        }
        return lines;
    }

    /** Of each device while the task had it: what it did before and afterwards is somebody else's. */
    private static List<Drawn> ofDevices(
            List<Matrix.Line> answer, Wish wish, long step, String metric, List<Series.Source> known) {
        List<Drawn> lines = new ArrayList<>();
        for (Matrix.Line one : answer) {
            for (JobDetail.Task task : wish.tasks()) {
                if (one.node().equals(task.node()) && task.devices().contains(one.device())) {
                    lines.add(drawn(task, metric, one.device(), during(task, one.values(), wish.from(), step), known));
                }
            }
        }
        return lines;
    }

    private static float[] during(JobDetail.Task task, float[] values, long from, long step) {
        long begun = task.launched() == null ? Long.MAX_VALUE : task.launched().toEpochMilli();
        long over = task.completed() == null ? Long.MAX_VALUE : task.completed().toEpochMilli();
        float[] own = values.clone();
        for (int at = 0; at < own.length; at++) {
            long end = from + at * step + step / 2;
            long first = Lines.isLong(step) ? end - step : end;
            if (first < begun || end > over) {
                own[at] = Float.NaN;
            }
        }
        return own;
    }

    private static Drawn drawn(
            JobDetail.Task task, String metric, @Nullable String device, float[] values, List<Series.Source> known) {
        Line line = known.stream()
                .filter(source -> source.kept().task() == task.id())
                .flatMap(source -> source.kept().lines().stream())
                .filter(about -> about.metric().equals(metric) && Objects.equals(about.device(), device))
                .findFirst()
                .orElseGet(() -> new Line(
                        metric,
                        device,
                        device == null ? 0 : Math.max(0, task.devices().indexOf(device)),
                        "",
                        false));
        return new Drawn(task.role(), task.index(), task.node(), line, values);
    }

    public Future<Void> close() {
        return upstream.close();
    }
}
