package io.sluice.web;

import io.netty.channel.unix.Errors;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;
import io.prometheus.client.exporter.common.TextFormat;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.StringWriter;
import java.net.BindException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The door of the edge: takes a route table, and serves it. */
public final class Web {
    static final String VERSION = Optional.<@Nullable String>ofNullable(
                    Web.class.getPackage().getImplementationVersion())
            .orElse("dev");

    /**
     * @param port 0 for any free one
     * @param certificate PEM file; with {@code key} the portal speaks TLS only
     * @param trustedProxies addresses whose {@code X-Forwarded-For} and {@code -Proto} are believed
     * @param tree the source tree, to reload pages and styles from it while they are written
     * @param logs the folder for the access log
     * @param callsPerMinute of the API from one address, by programs
     */
    public record Settings(
            String host,
            int port,
            @Nullable Path certificate,
            @Nullable Path key,
            Set<String> trustedProxies,
            @Nullable Path tree,
            Path logs,
            int connections,
            int connectionsPerAddress,
            int streamsPerUser,
            int callsPerMinute,
            int headerSeconds,
            int bodySeconds,
            int answerSeconds,
            int idleSeconds) {
        public static Settings of(String host, int port, Path logs) {
            return new Settings(
                    host, port, null, null, Set.of(), null, logs, 10_000, 1_000, 50, 1_000_000, 10, 30, 30, 75);
        }

        public Settings tls(@Nullable Path certificate, @Nullable Path key) {
            return with(certificate, key, trustedProxies, tree, connectionsPerAddress, streamsPerUser, callsPerMinute);
        }

        public Settings trusting(Set<String> proxies) {
            return with(certificate, key, proxies, tree, connectionsPerAddress, streamsPerUser, callsPerMinute);
        }

        public Settings developing(@Nullable Path tree) {
            return with(certificate, key, trustedProxies, tree, connectionsPerAddress, streamsPerUser, callsPerMinute);
        }

        public Settings limits(int connectionsPerAddress, int streamsPerUser, int callsPerMinute) {
            return with(certificate, key, trustedProxies, tree, connectionsPerAddress, streamsPerUser, callsPerMinute);
        }

        private Settings with(
                @Nullable Path certificate,
                @Nullable Path key,
                Set<String> trustedProxies,
                @Nullable Path tree,
                int connectionsPerAddress,
                int streamsPerUser,
                int callsPerMinute) {
            return new Settings(
                    host,
                    port,
                    certificate,
                    key,
                    trustedProxies,
                    tree,
                    logs,
                    connections,
                    connectionsPerAddress,
                    streamsPerUser,
                    callsPerMinute,
                    headerSeconds,
                    bodySeconds,
                    answerSeconds,
                    idleSeconds);
        }

        private Settings at(int otherPort) {
            return new Settings(
                    host,
                    otherPort,
                    certificate,
                    key,
                    trustedProxies,
                    tree,
                    logs,
                    connections,
                    connectionsPerAddress,
                    streamsPerUser,
                    callsPerMinute,
                    headerSeconds,
                    bodySeconds,
                    answerSeconds,
                    idleSeconds);
        }

        boolean tls() {
            return certificate != null;
        }

        String origin(int boundPort) {
            String shown = host.contains(":") ? "[" + host + "]" : host;
            return (tls() ? "https://" : "http://") + shown + ":" + boundPort;
        }
    }

    /** Turns failures of other rooms into problems; null where it knows of none. Whoever only reads changes nothing. */
    @FunctionalInterface
    public interface Translation {
        @Nullable
        Problem problem(Throwable failure, boolean reading);
    }

    /** Answers on the portal's listeners for names that are not the portal's. Called on a connection's own event loop. */
    public interface Neighbour {
        Neighbour NONE = new Neighbour() {
            @Override
            public boolean owns(HttpServerRequest request) {
                return false;
            }

            @Override
            public Future<Void> handle(HttpServerRequest request, Threshold threshold) {
                return Future.failedFuture(new IllegalStateException("nobody's"));
            }
        };

        /** Somebody connects, and has not asked yet. Of what is answered past the edge, the stay is told. */
        default void welcome(HttpConnection connection, Stay stay) {}

        /** Whether a request is for it; then nobody else looks at it. */
        boolean owns(HttpServerRequest request);

        /** Answers; the future ends when the answer has. */
        Future<Void> handle(HttpServerRequest request, Threshold threshold);
    }

    /** One connection's, which is not idle as long as somebody is answered on it. */
    public interface Stay {
        void begins();

        void ends();
    }

    /** What the edge knows of, and does for, a request that it leaves to a neighbour. */
    public interface Threshold {
        boolean isSecure(HttpServerRequest request);

        /** Where it came from, seen through the proxies that the settings trust. */
        String address(HttpServerRequest request);

        /** A template drawn for whoever asks, in their language. */
        Buffer page(HttpServerRequest request, String template, Object page, String nonce);
    }

    private static final String OF_PORTAL = "Choose another with --port, or --port 0 for any free one.";
    private static final String OF_RANGE = "End what listens there, or choose another range with --endpoint-ports.";

    private final Vertx vertx;
    private final Settings settings;
    private final Authenticator authenticator;
    private final Translation translation;
    private final CollectorRegistry registry;
    private final Metrics metrics;
    private final Pages pages;
    private final AccessLog accessLog;
    private final Live live;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    public Web(
            Vertx vertx,
            Settings settings,
            Authenticator authenticator,
            Translation translation,
            CollectorRegistry registry) {
        this(vertx, settings, authenticator, translation, registry, View.Counts.NONE);
    }

    public Web(
            Vertx vertx,
            Settings settings,
            Authenticator authenticator,
            Translation translation,
            CollectorRegistry registry,
            View.Counts counts) {
        this.vertx = vertx;
        this.settings = settings;
        this.authenticator = authenticator;
        this.translation = translation;
        this.registry = registry;
        this.metrics = new Metrics(registry);
        this.pages = new Pages(settings.tree(), counts);
        this.accessLog = new AccessLog(settings.logs(), metrics);
        this.live = new Live(vertx, pages, authenticator, settings, metrics);
    }

    /** A text of a language, for what is told outside of pages. */
    public String text(String language, String key, Object... values) {
        return pages.text(language, key, values);
    }

    public Live live() {
        return live;
    }

    /** What the edge answers itself: is it alive, is it able, and its numbers for machines on this host or with an administrator's token. */
    public List<Route> routes(Supplier<Future<Void>> able) {
        return routes(able, this::numbers, call -> false);
    }

    /**
     * @param numbers answers those who may have the numbers
     * @param reader whether somebody else may have them, who is no user
     */
    public List<Route> routes(Supplier<Future<Void>> able, Route.Handling numbers, Predicate<Call> reader) {
        return List.of(
                Route.get("/healthz", call -> Future.succeededFuture(Reply.text("alive\n")))
                        .forAnyone(),
                Route.get("/readyz", call -> able.get().map(ready -> Reply.text("ready\n")))
                        .forAnyone(),
                Route.get("/metrics", call -> forMachines(call, numbers, reader))
                        .forAnyone());
    }

    private Future<Reply> forMachines(Call call, Route.Handling numbers, Predicate<Call> reader) {
        boolean admin = call.callerIfAny()
                .map(caller -> caller.admin() && caller.may("metrics:read"))
                .orElse(false);
        if (!(call.isLocal() && namesThisMachine(call)) && !admin && !reader.test(call)) {
            return Future.failedFuture(Problem.of(
                    Problem.Kind.UNAUTHENTICATED,
                    "Metrics are for this machine, or for an administrator's token with metrics:read."));
        }
        return numbers.handle(call);
    }

    private Future<Reply> numbers(Call call) {
        var text = new StringWriter();
        try {
            TextFormat.write004(text, registry.metricFamilySamples());
        } catch (IOException e) {
            throw new IllegalStateException("memory could not be written", e);
        }
        return Future.succeededFuture(Reply.bytes(TextFormat.CONTENT_TYPE_004, Buffer.buffer(text.toString())));
    }

    /** A page of a stranger that lets its own name lead here (DNS rebinding) asks from this machine too, but under that name. */
    private boolean namesThisMachine(Call call) {
        var authority = call.context().request().authority();
        String host = authority == null ? "" : authority.host();
        return Set.of("localhost", "127.0.0.1", "::1", "[::1]").contains(host) || host.equals(settings.host());
    }

    /** Serves these routes, on one listener per core. The answer is the address to show. */
    public Future<String> serve(List<Route> routes) {
        return serve(routes, Neighbour.NONE);
    }

    public Future<String> serve(List<Route> routes, Neighbour neighbour) {
        return serve(routes, neighbour, List.of());
    }

    /** @param ports besides the portal's own, on which everything is the neighbour's */
    public Future<String> serve(List<Route> routes, Neighbour neighbour, List<Integer> ports) {
        var options = new DeploymentOptions()
                .setInstances(settings.port() == 0 ? 1 : Runtime.getRuntime().availableProcessors());
        return vertx.deployVerticle(() -> listener(settings, routes, neighbour), options)
                .recover(failure -> Future.failedFuture(explained(failure, settings.port(), OF_PORTAL)))
                .map(deployed -> settings.origin(listeners.getFirst().port()))
                .compose(origin -> Future.join(ports.stream()
                                .map(port -> vertx.deployVerticle(listener(settings.at(port), List.of(), neighbour))
                                        .recover(failure -> Future.failedFuture(explained(failure, port, OF_RANGE))))
                                .toList())
                        .map(origin));
    }

    private Deployable listener(Settings settings, List<Route> routes, Neighbour neighbour) {
        var listener = new Listener(
                settings,
                metrics,
                neighbour,
                new Edge(vertx, settings, routes, authenticator, translation, pages, live, accessLog, metrics));
        listeners.add(listener);
        return listener;
    }

    /** Ends every stream with a word to come back, then the listeners with the requests they hold. */
    public Future<Void> close() {
        return live.close()
                .eventually(() ->
                        Future.join(listeners.stream().map(Listener::close).toList()))
                .compose(closed -> vertx.executeBlocking(() -> {
                    accessLog.close();
                    return null;
                }));
    }

    private Throwable explained(Throwable failure, int port, String advice) {
        return failure instanceof BindException || failure instanceof Errors.NativeIoException // of epoll
                ? new IllegalStateException(
                        "Port " + port + " of " + settings.host() + " can not be opened (" + failure.getMessage()
                                + "). " + advice,
                        failure)
                : failure;
    }

    /** What the edge counts. Labels are few and known beforehand: never a path or a name that a stranger chose. */
    static final class Metrics {
        final Histogram requests;
        final Counter refused;
        final Gauge connections;
        final Gauge streams;
        final Counter streamsEnded;
        final Counter logLinesDropped;
        final Counter liveCatchUps;

        Metrics(CollectorRegistry registry) {
            requests = Histogram.build("sluice_web_request_seconds", "Time from a request's first byte to its answer")
                    .labelNames("method", "status")
                    .buckets(.001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30)
                    .register(registry);
            refused = Counter.build("sluice_web_refused_total", "Requests and connections refused, by limit")
                    .labelNames("limit")
                    .register(registry);
            connections =
                    Gauge.build("sluice_web_connections", "Open connections").register(registry);
            streams = Gauge.build("sluice_web_streams", "Open WebSockets").register(registry);
            streamsEnded = Counter.build(
                            "sluice_web_streams_ended_total", "WebSockets that the gateway closed, by reason")
                    .labelNames("reason")
                    .register(registry);
            logLinesDropped = Counter.build(
                            "sluice_web_access_log_dropped_total", "Access log lines given up, queue full")
                    .register(registry);
            liveCatchUps = Counter.build("sluice_web_live_catch_ups_total", "Times a live page was told what changed")
                    .register(registry);
        }
    }
}
