package io.sluice.telemetry.pages;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Lines;
import io.sluice.telemetry.history.Prometheus;
import io.sluice.telemetry.history.Series;
import io.sluice.telemetry.history.Series.Drawn;
import io.sluice.telemetry.history.Summary;
import io.sluice.telemetry.pages.Lookup.Found;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a job's tasks and devices did: as lines, and as a summary. */
final class SeriesRoutes {
    private static final String JOB = "/api/v2/jobs/:job";
    /** A chart of more lines is none. */
    private static final int MOST_DRAWN = 32;

    private static final int MOST_SUMMED = 1_000;
    private static final Set<String> KNOWN = Stream.concat(
                    Stream.of(Lines.OfTask.values()).map(Lines.OfTask::key),
                    Lines.OF_DEVICES.stream().map(metric -> metric.key()))
            .collect(Collectors.toUnmodifiableSet());

    private final Lookup lookup;
    private final History history;
    private final Prometheus prometheus;

    SeriesRoutes(Lookup lookup, History history, Prometheus prometheus) {
        this.lookup = lookup;
        this.history = history;
        this.prometheus = prometheus;
    }

    List<Route> routes() {
        return List.of(
                Route.get(JOB + "/series", this::series).scope("jobs:read"),
                Route.get(JOB + "/summary", this::summary).scope("jobs:read"));
    }

    private Future<Reply> series(Call call) {
        Set<String> metrics = call.query("metrics")
                .filter(text -> !text.isBlank())
                .map(text -> Set.copyOf(List.of(text.split(","))))
                .orElse(KNOWN);
        metrics.stream().filter(metric -> !KNOWN.contains(metric)).findFirst().ifPresent(metric -> {
            throw Problem.invalid("There is no metric " + metric + ". There are "
                    + KNOWN.stream().sorted().collect(Collectors.joining(", ")) + ".");
        });
        long step = Lookup.number(call, "step").orElse(0L);
        boolean stored = call.query("source").orElse("").equals("prometheus");
        return lookup.of(call, MOST_DRAWN).compose(found -> {
            long begun = begun(found);
            long ended = ended(found);
            long from = Lookup.number(call, "from").orElse(begun);
            long to = Lookup.number(call, "to").orElse(ended);
            if (to < from) {
                throw Problem.invalid("to is before from. Both are in milliseconds since 1970.");
            }
            var wish = new Prometheus.Wish(
                    found.detail().job().key(),
                    found.detail().attempt().number(),
                    found.tasks(),
                    metrics,
                    from,
                    Math.max(to, from + 1000),
                    step * 1000,
                    stored);
            return prometheus
                    .series(wish)
                    .map(series -> json(Buffer.buffer(written(series, metrics, found.omitted()))));
        });
    }

    static long begun(Found found) {
        return found.tasks().stream()
                .map(JobDetail.Task::launched)
                .filter(at -> at != null)
                .mapToLong(Instant::toEpochMilli)
                .min()
                .orElse(System.currentTimeMillis());
    }

    static long ended(Found found) {
        boolean all = !found.tasks().isEmpty() && found.tasks().stream().allMatch(task -> task.completed() != null);
        return !all
                ? System.currentTimeMillis()
                : found.tasks().stream()
                        .map(JobDetail.Task::completed)
                        .filter(at -> at != null)
                        .mapToLong(Instant::toEpochMilli)
                        .max()
                        .orElse(System.currentTimeMillis());
    }

    static Reply json(Buffer text) {
        return Reply.bytes("application/json", text);
    }

    /** By hand: there are tens of thousands of numbers in it. */
    private static String written(Series series, Set<String> metrics, int omitted) {
        var text = new StringBuilder(64 << 10)
                .append("{\"from\":")
                .append(series.from())
                .append(",\"to\":")
                .append(series.to())
                .append(",\"step\":")
                .append(series.step())
                .append(",\"source\":\"")
                .append(series.source())
                .append("\",\"omittedTasks\":")
                .append(omitted)
                .append(",\"lines\":[");
        boolean more = false;
        for (Drawn drawn : series.lines()) {
            if (metrics.contains(drawn.line().metric())) {
                text.append(more ? "," : "");
                line(drawn, series.size(), text);
                more = true;
            }
        }
        return text.append("]}").toString();
    }

    private static void line(Drawn drawn, int size, StringBuilder text) {
        var about = new io.vertx.core.json.JsonObject()
                .put("metric", drawn.line().metric())
                .put("role", drawn.role())
                .put("taskIndex", drawn.taskIndex())
                .put("node", drawn.node());
        if (drawn.line().isOfDevice()) {
            about.put("device", drawn.line().device())
                    .put("index", drawn.line().index())
                    .put("type", drawn.line().type())
                    .put("simulated", drawn.line().simulated());
        }
        String words = about.encode();
        text.append(words, 0, words.length() - 1).append(",\"values\":[");
        for (int at = 0; at < size; at++) {
            text.append(at == 0 ? "" : ",");
            number(drawn.value(at), text);
        }
        text.append("]}");
    }

    private static void number(float value, StringBuilder text) {
        if (Float.isNaN(value)) {
            text.append("null");
            return;
        }
        double rounded = Series.round(value);
        long whole = (long) rounded;
        if ((double) whole == rounded) {
            text.append(whole);
        } else {
            text.append(rounded);
        }
    }

    private Future<Reply> summary(Call call) {
        return lookup.of(call, MOST_SUMMED)
                .compose(found -> history.of(
                                found.tasks().stream().map(JobDetail.Task::id).toList())
                        .map(kept -> json(Summary.of(found.tasks(), kept)
                                .toJson()
                                .put("omittedTasks", found.omitted())
                                .toBuffer())));
    }
}
