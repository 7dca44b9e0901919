package io.sluice.telemetry.history;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.Lines.Line;
import io.sluice.telemetry.history.Lines.OfTask;
import io.sluice.telemetry.history.Series.Drawn;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
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
    private final @Nullable URI address;
    private final Function<Collection<Long>, Future<List<Kept>>> history;
    private final HistoryMetrics metrics;
    private final HttpClient client;
    private final Breaker breaker = new Breaker(System::nanoTime);
    private final AtomicInteger charts = new AtomicInteger();

    public Prometheus(Vertx vertx, @Nullable URI address, History history) {
        this(vertx, address, history::of, history.metrics());
    }

    Prometheus(
            Vertx vertx,
            @Nullable URI address,
            Function<Collection<Long>, Future<List<Kept>>> history,
            HistoryMetrics metrics) {
        this.vertx = vertx;
        this.address = address;
        this.history = history;
        this.metrics = metrics;
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setConnectTimeout((int) LIMIT_MILLIS).setDecompressionSupported(true),
                new PoolOptions().setHttp1MaxSize(AT_ONCE).setMaxWaitQueueSize(WAITING));
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
                    return address == null
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
                        .map(answer -> drawn(answer, tasks, metric.key(), known)));
            }
        }
        boolean devices = wish.tasks().stream().anyMatch(task -> !task.devices().isEmpty());
        for (Metric metric : devices ? Lines.OF_DEVICES : List.<Metric>of()) {
            if (wish.metrics().contains(metric.key())) {
                String join =
                        "accelerator_assignment{" + select + "} * on (node, device) group_left () " + metric.family();
                lines.add(query(Lines.mean(join, step), wish, step)
                        .map(answer -> drawn(answer, tasks, metric.key(), known)));
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
        URI at = Objects.requireNonNull(address);
        long first = wish.from() + step / 2;
        int count = (int) ((wish.to() - wish.from()) / step) + 1;
        String form = "query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8) + "&start=" + first / 1000.0
                + "&end=" + (first + (count - 1) * step) / 1000.0 + "&step=" + step / 1000.0 + "&timeout=2s";
        boolean tls = "https".equals(at.getScheme());
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost(at.getHost())
                .setPort(at.getPort() > 0 ? at.getPort() : tls ? 443 : 80)
                .setSsl(tls)
                .setURI(Optional.ofNullable(at.getPath()).orElse("").replaceAll("/+$", "") + "/api/v1/query_range")
                .setTimeout(LIMIT_MILLIS)
                .putHeader("Content-Type", "application/x-www-form-urlencoded");
        return client.request(options)
                .compose(request -> request.send(Buffer.buffer(form)))
                .compose(Prometheus::whole)
                .compose(body -> vertx.executeBlocking(
                        () -> Matrix.of(body.getBytes(), new Matrix.Axis(first, step, count)), false))
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One that never ends is hung up on. */
    private static Future<Buffer> whole(HttpClientResponse response) {
        Promise<Buffer> whole = Promise.promise();
        Buffer body = Buffer.buffer();
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(body));
        response.handler(piece -> {
            if (body.length() + piece.length() > MOST_BYTES) {
                if (whole.tryFail(new IllegalStateException("it answers more than " + (MOST_BYTES >> 20) + " MiB"))) {
                    response.request().reset();
                }
            } else {
                body.appendBuffer(piece);
            }
        });
        return whole.future();
    }

    private static List<Drawn> drawn(
            List<Matrix.Line> answer, Map<String, JobDetail.Task> tasks, String metric, List<Series.Source> known) {
        List<Drawn> lines = new ArrayList<>();
        for (Matrix.Line one : answer) {
            JobDetail.Task task = tasks.get(one.task());
            if (task == null) {
                continue;
            }
            String device = one.device().isEmpty() ? null : one.device();
            Line line = known.stream()
                    .filter(source -> source.kept().task() == task.id())
                    .flatMap(source -> source.kept().lines().stream())
                    .filter(about -> about.metric().equals(metric) && Objects.equals(about.device(), device))
                    .findFirst()
                    .orElseGet(() ->
                            new Line(metric, device, Math.max(0, task.devices().indexOf(device)), "", false));
            lines.add(new Drawn(task.role(), task.index(), task.node(), line, one.values()));
        }
        return lines;
    }

    public Future<Void> close() {
        return client.close();
    }
}
