package io.sluice.telemetry.pages;

import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Holder;
import io.sluice.jobs.pages.Remark;
import io.sluice.telemetry.grafana.Grafana;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Prometheus;
import io.sluice.telemetry.idle.Idle;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.ranks.Ranks;
import io.sluice.web.Live;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All rows of this room. */
public final class TelemetryPages {
    /** Of live pages: there is a new picture of everything. */
    static final String TOPIC = "telemetry";

    private TelemetryPages() {}

    /** What is to be said of a job on top of its page; a device that is at fault before one that does nothing. */
    public static Future<Optional<Remark>> remark(Observation seen, Idle idle, Remark.Named job, int attempt) {
        return broken(seen, job, attempt)
                .map(remark -> Future.succeededFuture(Optional.of(remark)))
                .orElseGet(() -> IdleRoutes.remark(idle, job, attempt));
    }

    /** The job goes on: its own program may know better, and saves what it has. */
    static Optional<Remark> broken(Observation seen, Remark.Named job, int attempt) {
        for (Observation.Seen one : seen.devices()) {
            Holder holder = one.holder();
            String fault = one.device().fault();
            if (fault != null && holder != null && holder.job() == job.id() && holder.attempt() == attempt) {
                Object[] words = {one.device().type(), one.device().id(), holder.role(), holder.index(), fault};
                return Optional.of(new Remark(true, Note.bad("telemetry.broken", words), null, null));
            }
        }
        return Optional.empty();
    }

    public static List<Route> routes(
            Jobs jobs,
            Observer observer,
            History history,
            Prometheus prometheus,
            Grafana grafana,
            Idle idle,
            Live live) {
        var lookup = new Lookup(jobs);
        List<Route> routes = Stream.of(
                        new SeriesRoutes(lookup, history, prometheus).routes(),
                        new DeviceRoutes(observer).routes(),
                        new MetricsPanelRoutes(jobs, lookup, observer, history, new Boards(grafana)).routes(),
                        Ranks.routes(jobs, history, TelemetryPages::spark),
                        new IdleRoutes(jobs, idle).routes(),
                        new UsageRoutes(observer, history).routes(),
                        new ClusterRoutes(jobs, observer, live).routes())
                .flatMap(List::stream)
                .toList();
        // the last to listen: whoever is told of a picture finds that the pages have it
        observer.listen(seen -> live.ring(TOPIC));
        return routes;
    }

    private static String spark(float[] values, double top) {
        return Spark.points(values, Double.isNaN(top) ? Spark.top(values) : top);
    }
}
