package io.sluice.telemetry;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.database.Migrations;
import io.sluice.engines.Engine;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.pages.Remark;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.telemetry.door.Door;
import io.sluice.telemetry.door.Viewer;
import io.sluice.telemetry.exposition.Exposition;
import io.sluice.telemetry.exposition.Gzip;
import io.sluice.telemetry.grafana.Grafana;
import io.sluice.telemetry.history.History;
import io.sluice.telemetry.history.Prometheus;
import io.sluice.telemetry.history.Upstream;
import io.sluice.telemetry.idle.Idle;
import io.sluice.telemetry.notices.Notices;
import io.sluice.telemetry.notices.Outside;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observer;
import io.sluice.telemetry.own.OwnPrometheus;
import io.sluice.telemetry.pages.TelemetryPages;
import io.sluice.web.Call;
import io.sluice.web.Live;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to telemetry. Nobody waits for it: what it can not find out in time is missing, with a reason. */
public final class Telemetry {
    public static final Migrations MIGRATIONS =
            new Migrations("telemetry", Telemetry.class, List.of("001-summaries", "002-thin", "003-idle"));

    /**
     * @param pause between two rounds of looking at everything
     * @param folder where secrets are kept, and what a Prometheus of its own keeps
     * @param prometheus that keeps the history, null: none, or its own
     * @param own that the gateway runs itself, null: none
     * @param reader what another one shows that reads {@code /metrics}, null: an administrator's token alone counts
     * @param notices how something is told outside
     * @param grafana whose panels are shown beside the built-in charts, null: none
     */
    public record Settings(
            Duration pause,
            Path folder,
            @Nullable URI prometheus,
            OwnPrometheus.@Nullable Settings own,
            @Nullable String reader,
            @Nullable GrafanaSettings grafana,
            Outside.Settings notices) {
        public static Settings of(Path folder) {
            return new Settings(Duration.ofSeconds(5), folder, null, null, null, null, Outside.Settings.NONE);
        }

        public Settings pause(Duration shorter) {
            return new Settings(shorter, folder, prometheus, own, reader, grafana, notices);
        }

        public Settings prometheus(@Nullable URI address, OwnPrometheus.@Nullable Settings own) {
            return new Settings(pause, folder, address, own, reader, grafana, notices);
        }

        public Settings reader(@Nullable String token) {
            return new Settings(pause, folder, prometheus, own, token, grafana, notices);
        }

        public Settings grafana(@Nullable GrafanaSettings embedded) {
            return new Settings(pause, folder, prometheus, own, reader, embedded, notices);
        }

        public Settings notices(Outside.Settings other) {
            return new Settings(pause, folder, prometheus, own, reader, grafana, other);
        }

        /** Without the token. */
        @Override
        public String toString() {
            return "Settings[folder=" + folder + ", prometheus=" + prometheus + "]";
        }
    }

    /** @param token that it shows when it asks for numbers; null: one that is kept in a file */
    public record GrafanaSettings(URI address, @Nullable String token) {
        /** Without the token. */
        @Override
        public String toString() {
            return "GrafanaSettings[" + address + "]";
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
    private final Door door;
    private final Grafana grafana;
    private final @Nullable OwnPrometheus own;
    private final @Nullable String reader;

    private Telemetry(
            Vertx vertx,
            Database database,
            Jobs jobs,
            Engine engine,
            DeviceWatch devices,
            CollectorRegistry registry,
            Settings settings,
            Outside outside,
            Uses uses,
            Function<String, Future<Optional<Viewer>>> viewers) {
        this.jobs = jobs;
        this.observer = new Observer(jobs, engine, devices, settings.pause(), registry);
        this.exposition = new Exposition(vertx, registry, observer::now);
        this.history = new History(database, registry);
        this.reader = settings.reader();
        OwnPrometheus.Settings run = settings.own();
        this.own = run == null ? null : new OwnPrometheus(vertx, run, registry);
        Supplier<Upstream.@Nullable Place> place = place(settings.prometheus(), own);
        this.prometheus = new Prometheus(vertx, place, history);
        GrafanaSettings beside = settings.grafana();
        String secret = beside == null ? null : secret(beside, settings.folder());
        this.grafana = new Grafana(vertx, beside == null ? null : beside.address(), registry);
        this.door = new Door(vertx, jobs, place, secret, viewers, registry);
        this.notices = new Notices(vertx, database, jobs, registry, outside);
        this.idle = new Idle(database, jobs, registry, uses::of, notices::ring);
        observer.listen(history::take);
        observer.listen(idle::take);
    }

    private static Supplier<Upstream.@Nullable Place> place(@Nullable URI address, @Nullable OwnPrometheus own) {
        if (address == null && own != null) {
            return own::place;
        }
        Upstream.Place place = address == null ? null : new Upstream.Place(address, null);
        return () -> place;
    }

    private static String secret(GrafanaSettings grafana, Path folder) {
        String token = grafana.token();
        return token == null ? Secret.kept(folder.resolve("grafana.token")) : token;
    }

    /**
     * With the tables of {@link #MIGRATIONS} in place. Looks at everything from now on.
     *
     * @param viewers who has a name that Grafana says, where the account is open
     */
    public static Telemetry open(
            Vertx vertx,
            Database database,
            Jobs jobs,
            Engine engine,
            DeviceWatch devices,
            CollectorRegistry registry,
            Settings settings,
            Outside outside,
            Uses uses,
            Function<String, Future<Optional<Viewer>>> viewers) {
        var telemetry =
                new Telemetry(vertx, database, jobs, engine, devices, registry, settings, outside, uses, viewers);
        telemetry.history.start();
        telemetry.observer.start();
        telemetry.notices.start();
        telemetry.idle.start();
        return telemetry;
    }

    /** Its rows, without {@code /metrics}, whose callers the edge knows. From now on open pages are told what changed. */
    public List<Route> routes(Live live) {
        return Stream.of(
                        TelemetryPages.routes(jobs, observer, history, prometheus, grafana, idle, live),
                        door.routes(),
                        grafana.routes())
                .flatMap(List::stream)
                .toList();
    }

    /** The gateway serves, and can be read from now on. */
    public void serving(String address) {
        if (own != null) {
            own.start(URI.create(address.replace("://0.0.0.0:", "://127.0.0.1:").replace("://[::]:", "://[::1]:")));
        }
    }

    /** Whether it is a Prometheus that asks for the numbers. */
    public boolean isReader(Call call) {
        String shown = call.header("Authorization").orElse("");
        return (own != null && own.isItsOwn(shown)) || (reader != null && Secret.same(shown, "Bearer " + reader));
    }

    /** What {@code /metrics} answers. */
    public Future<Reply> numbers(Call call) {
        boolean gzip = Gzip.isTaken(call);
        return exposition
                .scrape()
                .map(scrape -> gzip
                        ? Gzip.packed(PROMETHEUS_TEXT, scrape.compressed())
                        : Gzip.plain(PROMETHEUS_TEXT, scrape.plain()));
    }

    /** What is to be said of a job on top of its page: that its devices do nothing. */
    public Future<Optional<Remark>> remark(Remark.Named job, int attempt) {
        return TelemetryPages.remark(observer.now(), idle, job, attempt);
    }

    /** As it was seen last. */
    public Observation now() {
        return observer.now();
    }

    public Future<Void> close() {
        idle.close();
        observer.close();
        Future<Void> ended = own == null ? Future.succeededFuture() : own.close();
        return Future.join(List.of(
                        ended,
                        history.close(),
                        exposition.close(),
                        prometheus.close(),
                        notices.close(),
                        door.close(),
                        grafana.close()))
                .mapEmpty();
    }
}
