package io.sluice.telemetry.pages;

import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Kept;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.observe.Observer;
import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** The small lines of a list: how busy the devices of each running job are, asked for many at once. */
final class UsageRoutes {
    private static final int MOST_JOBS = 100;
    private static final int POINTS = 60;

    private final Observer observer;
    private final History history;

    UsageRoutes(Observer observer, History history) {
        this.observer = observer;
        this.history = history;
    }

    List<Route> routes() {
        return List.of(Route.get("/jobs-usage", this::usage).withoutApplications());
    }

    private Future<Reply> usage(Call call) {
        Observation now = observer.now();
        Map<String, List<Seen>> byJob = now.devices().stream()
                .filter(seen -> DeviceRoutes.visible(seen.holder(), call.caller()) != null)
                .collect(Collectors.groupingBy(
                        seen -> Objects.requireNonNull(seen.holder()).key()));
        List<String> asked =
                call.query("jobs").map(text -> Arrays.asList(text.split(","))).orElse(List.of());
        var answer = new LinkedHashMap<String, Object>();
        asked.stream().distinct().limit(MOST_JOBS).filter(byJob::containsKey).forEach(key -> {
            List<Seen> devices = Objects.requireNonNull(byJob.get(key));
            var loads = devices.stream()
                    .mapToDouble(seen -> seen.value(Metric.UTILISATION))
                    .filter(load -> !Double.isNaN(load))
                    .average();
            if (loads.isPresent()) {
                float[] line = line(devices);
                answer.put(
                        key,
                        Map.of(
                                "now",
                                Math.round(loads.getAsDouble() * 100),
                                "points",
                                Spark.points(line, 1),
                                "simulated",
                                devices.stream().anyMatch(seen -> seen.device().simulated())));
            }
        });
        return Future.succeededFuture(Reply.json(answer));
    }

    /** The mean of all its devices, over the last minutes. */
    private float[] line(List<Seen> devices) {
        float[] sums = new float[POINTS];
        int[] counts = new int[POINTS];
        for (Seen seen : devices) {
            Kept kept = history.running(Objects.requireNonNull(seen.holder()).task())
                    .orElse(null);
            float[] tail = kept == null
                    ? new float[0]
                    : kept.tail(Metric.UTILISATION.key(), seen.device().id(), POINTS);
            for (int at = 0; at < tail.length; at++) {
                int place = POINTS - tail.length + at;
                if (!Float.isNaN(tail[at])) {
                    sums[place] += tail[at];
                    counts[place]++;
                }
            }
        }
        for (int at = 0; at < POINTS; at++) {
            sums[at] = counts[at] == 0 ? Float.NaN : sums[at] / counts[at];
        }
        return sums;
    }
}
