package io.sluice.telemetry;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.database.Migrations;
import io.sluice.engines.Engine;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.pages.Remark;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.telemetry.exposition.Exposition;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Prometheus;
import io.sluice.telemetry.idle.Idle;
import io.sluice.telemetry.notices.Notices;
import io.sluice.telemetry.notices.Outside;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.pages.TelemetryPages;
import io.sluice.web.Call;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The door to telemetry. Nobody waits for it: what it can not find out in time is missing, with a reason. */
public final class Telemetry {
    public static final Migrations MIGRATIONS =
            new Migrations("telemetry", Telemetry.class, List.of("001-summaries", "002-thin", "003-idle"));

    /**
     * @param pause between two rounds of looking at everything
     * @param prometheus that keeps the history, null: none
     * @param notices how something is told outside
     */
    public record Settings(Duration pause, @Nullable URI prometheus, Outside.Settings notices) {
        public static Settings usual() {
            return new Settings(Duration.ofSeconds(5), null, Outside.Settings.NONE);
        }

        public Settings prometheus(@Nullable URI address) {
            return new Settings(pause, address, notices);
        }

        public Settings notices(Outside.Settings outside) {
            return new Settings(pause, prometheus, outside);
        }
    }

    /** When somebody was at jobs' endpoints last; of those where nobody ever was it says nothing. */
    @FunctionalInterface
    public interface Uses {
        Uses NONE = jobs -> Future.succeededFuture(Map.of());

        Future<Map<Long, Instant>> of(Collection<Long> jobs);
    }

    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final Jobs jobs;
    private final Observer observer;
    private final Exposition exposition;
    private final History history;
    private final Prometheus prometheus;
    private final Notices notices;
    private final Idle idle;

    private Telemetry(
            Vertx vertx,
            Database database,
            Jobs jobs,
            Engine engine,
            DeviceWatch devices,
            CollectorRegistry registry,
            Settings settings,
            Outside outside,
            Uses uses) {
        this.jobs = jobs;
        this.observer = new Observer(jobs, engine, devices, settings.pause(), registry);
        this.exposition = new Exposition(vertx, registry, observer::now);
        this.history = new History(database, registry);
        this.prometheus = new Prometheus(vertx, settings.prometheus(), history);
        this.notices = new Notices(vertx, database, jobs, registry, outside);
        this.idle = new Idle(database, jobs, registry, uses::of, notices::ring);
        observer.listen(history::take);
        observer.listen(idle::take);
    }

    /** With the tables of {@link #MIGRATIONS} in place. Looks at everything from now on. */
    public static Telemetry open(
            Vertx vertx,
            Database database,
            Jobs jobs,
            Engine engine,
            DeviceWatch devices,
            CollectorRegistry registry,
            Settings settings,
            Outside outside,
            Uses uses) {
        var telemetry = new Telemetry(vertx, database, jobs, engine, devices, registry, settings, outside, uses);
        telemetry.history.start();
        telemetry.observer.start();
        telemetry.notices.start();
        telemetry.idle.start();
        return telemetry;
    }

    /** Its rows, without {@code /metrics}, whose callers the edge knows. From now on open pages are told what changed. */
    public List<Route> routes(Live live) {
        return TelemetryPages.routes(jobs, observer, history, prometheus, idle, live);
    }

    /** What {@code /metrics} answers. */
    public Future<Reply> numbers(Call call) {
        boolean gzip = call.header("Accept-Encoding").orElse("").contains("gzip");
        return exposition
                .scrape()
                .map(scrape -> gzip
                        ? Reply.bytes(PROMETHEUS_TEXT, scrape.compressed())
                                .header("Content-Encoding", "gzip")
                                .header("Vary", "Accept-Encoding")
                        : Reply.bytes(PROMETHEUS_TEXT, scrape.plain()).header("Vary", "Accept-Encoding"));
    }

    /** What is to be said of a job on top of its page: that its devices do nothing. */
    public Future<Optional<Remark>> remark(Remark.Named job, int attempt) {
        return TelemetryPages.remark(idle, job, attempt);
    }

    /** As it was seen last. */
    public Observation now() {
        return observer.now();
    }

    public Future<Void> close() {
        idle.close();
        observer.close();
        return Future.join(history.close(), exposition.close(), prometheus.close(), notices.close())
                .mapEmpty();
    }
}
