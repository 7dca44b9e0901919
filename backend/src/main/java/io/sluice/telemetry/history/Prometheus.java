package io.sluice.telemetry.history;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.Lines.Line;
import io.sluice.telemetry.history.Lines.OfTask;
import io.sluice.telemetry.history.Series.Drawn;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The history of tasks: from Prometheus where there is one and it answers in time, otherwise from what is kept here. Whatever it answers, no
 * more is read than a chart can use, and nobody waits longer than two seconds.
 */
public final class Prometheus {
    private static final long LIMIT_MILLIS = 2_000;
    private static final int MOST_BYTES = 8 << 20;
    private static final int AT_ONCE = 4;
    private static final int WAITING = 64;
    private static final String WINDOW = "30s";

    private final Vertx vertx;
    private final @Nullable URI address;
    private final History history;
    private final HttpClient client;
    private final Breaker breaker = new Breaker(System::nanoTime);

    public Prometheus(Vertx vertx, @Nullable URI address, History history) {
        this.vertx = vertx;
        this.address = address;
        this.history = history;
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setConnectTimeout((int) LIMIT_MILLIS).setDecompressionSupported(true),
                new PoolOptions().setHttp1MaxSize(AT_ONCE).setMaxWaitQueueSize(WAITING));
    }

    /**
     * @param detail with the tasks that are wanted
     * @param wanted step, 0: whatever suits
     * @param stored whether Prometheus is asked although what is here is as fine
     */
    public Future<Series> series(
            JobDetail detail, List<JobDetail.Task> tasks, long from, long to, long wanted, boolean stored) {
        return history.of(tasks.stream().map(JobDetail.Task::id).toList()).compose(kept -> {
            List<Series.Source> sources = tasks.stream()
                    .flatMap(task -> kept.stream()
                            .filter(one -> one.task() == task.id())
                            .map(one -> new Series.Source(task.role(), task.index(), task.node(), one)))
                    .toList();
            Series own = Series.of(sources, from, to, wanted);
            long best = Series.step(from, to, wanted, 5_000);
            // what is here is as fine as what is there, and newer
            return address == null || (!stored && own.step() <= best && !sources.isEmpty())
                    ? Future.succeededFuture(own)
                    : asked(detail.job(), tasks, sources, from, to, Math.max(best, 15_000))
                            .otherwise(own);
        });
    }

    private Future<Series> asked(
            Job job, List<JobDetail.Task> tasks, List<Series.Source> known, long from, long to, long step) {
        if (breaker.isOpen()) {
            history.metrics().asked("not_asked");
            return Future.failedFuture(new IllegalStateException("Prometheus has failed too often"));
        }
        List<Future<List<Drawn>>> lines = new ArrayList<>();
        for (JobDetail.Task task : tasks) {
            String key = detailKey(job, task);
            List<Line> about = known.stream()
                    .filter(source -> source.kept().task() == task.id())
                    .flatMap(source -> source.kept().lines().stream())
                    .toList();
            for (OfTask metric : OfTask.values()) {
                lines.add(query(metric.query(key, WINDOW), from, to, step)
                        .map(answer -> drawn(answer, task, metric.key(), about, from, to, step)));
            }
            for (Metric metric : task.devices().isEmpty() ? List.<Metric>of() : Lines.OF_DEVICES) {
                String query =
                        "accelerator_assignment{" + key + "} * on (node, device) group_left () " + metric.family();
                lines.add(query(query, from, to, step)
                        .map(answer -> drawn(answer, task, metric.key(), about, from, to, step)));
            }
        }
        return Future.all(lines)
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS)
                .map(all -> new Series(
                        from,
                        to,
                        step,
                        "prometheus",
                        lines.stream().flatMap(one -> one.result().stream()).toList()))
                .onSuccess(all -> {
                    breaker.succeeded();
                    history.metrics().asked("answered");
                })
                .onFailure(failure -> {
                    breaker.failed();
                    history.metrics()
                            .asked(failure instanceof java.util.concurrent.TimeoutException ? "too_slow" : "failed");
                });
    }

    private static String detailKey(Job job, JobDetail.Task task) {
        // as the exposition names them
        return "job_id=\"" + Lines.quoted(job.key()) + "\",task_id=\""
                + Lines.quoted(job.attempt() + "." + task.role() + "." + task.index() + "." + task.attempt()) + "\"";
    }

    /** The result of a range query; what is no such thing is a failure. */
    private Future<JsonArray> query(String expression, long from, long to, long step) {
        URI at = Objects.requireNonNull(address);
        String form = "query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8) + "&start=" + from / 1000.0
                + "&end=" + to / 1000.0 + "&step=" + step / 1000.0 + "&timeout=2s";
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
                .compose(response -> {
                    Buffer whole = Buffer.buffer();
                    response.handler(piece -> {
                        if (whole.length() + piece.length() > MOST_BYTES) {
                            response.request().reset();
                        } else {
                            whole.appendBuffer(piece);
                        }
                    });
                    return response.end().map(ended -> whole);
                })
                .compose(body -> vertx.executeBlocking(() -> result(body), false))
                .timeout(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    static JsonArray result(Buffer body) {
        JsonObject answer = new JsonObject(body);
        if (!"success".equals(answer.getString("status"))
                || !(answer.getValue("data") instanceof JsonObject data)
                || !"matrix".equals(data.getString("resultType"))
                || !(data.getValue("result") instanceof JsonArray result)) {
            throw new IllegalStateException("this is no answer to a range query");
        }
        return result;
    }

    private static List<Drawn> drawn(
            JsonArray result, JobDetail.Task task, String metric, List<Line> about, long from, long to, long step) {
        int count = (int) ((to - from) / step) + 1;
        List<Drawn> lines = new ArrayList<>();
        for (Object one : result) {
            JsonObject series = (JsonObject) one;
            String device = series.getJsonObject("metric", new JsonObject()).getString("device");
            float[] values = new float[count];
            Arrays.fill(values, Float.NaN);
            for (Object pair : series.getJsonArray("values", new JsonArray())) {
                JsonArray point = (JsonArray) pair;
                double at = point.getDouble(0) * 1000;
                int place = (int) Math.round((at - (double) from) / (double) step);
                double value = number(point.getString(1));
                if (place >= 0 && place < count && !Double.isInfinite(value)) {
                    values[place] = (float) value;
                }
            }
            Line line = Stream.concat(
                            about.stream()
                                    .filter(known ->
                                            known.metric().equals(metric) && Objects.equals(known.device(), device)),
                            Stream.of(new Line(metric, device, 0, "", false)))
                    .findFirst()
                    .orElseThrow();
            lines.add(new Drawn(task.role(), task.index(), task.node(), line, values));
        }
        return lines;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text.replace("Inf", "Infinity"));
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    public Future<Void> close() {
        return client.close();
    }
}
