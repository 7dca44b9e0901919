package io.sluice.endpoints.road;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.endpoints.road.lines.Lines;
import io.sluice.endpoints.road.lines.LinesMetrics;
import io.sluice.endpoints.road.lines.Shortcut;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.endpoints.road.passes.Passes;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.sluice.web.Web;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The door to the road: whoever comes by an endpoint's name is looked at here, before anything else happens. */
public final class Road implements Web.Neighbour {
    /** Beneath this path of every endpoint nothing is the app's. */
    static final String RESERVED = "/.sluice/";

    private static final String ENTER = RESERVED + "enter";
    /** Tells whoever asks that this is the gateway, and nothing else. */
    public static final String PROBE = RESERVED + "probe";

    /** A WebSocket that goes no further, for who was let in. */
    private static final String ECHO = RESERVED + "echo";

    private static final int ECHOES = 20;
    private static final long ECHO_MILLIS = 180_000;
    private static final System.Logger LOG = System.getLogger(Road.class.getName());

    private final Vertx vertx;
    private final Names names;
    private final Passes passes;
    private final Proxy proxy;
    private final Tunnels tunnels;
    private final RoadMetrics metrics;
    private final LinesMetrics lineMetrics;
    private final Excuses excuses;
    private final BiPredicate<Caller, String> allowed;
    private final IntFunction<@Nullable String> atPort;
    private final Map<String, App> apps = new ConcurrentHashMap<>();
    private final Set<String> visited = ConcurrentHashMap.newKeySet();

    /**
     * @param excuses why an endpoint that is not open is not
     * @param allowed whether somebody may, as far as is known, still go to an endpoint
     * @param atPort whose a port is, or was at last; null: nobody's
     */
    public Road(
            Vertx vertx,
            Database database,
            Authenticator authenticator,
            CollectorRegistry registry,
            Names names,
            Excuses excuses,
            BiPredicate<Caller, String> allowed,
            IntFunction<@Nullable String> atPort) {
        this.vertx = vertx;
        this.names = names;
        this.metrics = new RoadMetrics(registry);
        this.lineMetrics = new LinesMetrics(registry);
        this.passes = new Passes(vertx, database, authenticator, registry);
        this.proxy = new Proxy(vertx, metrics, authenticator);
        this.tunnels = new Tunnels(vertx, metrics, authenticator);
        this.excuses = excuses;
        this.allowed = allowed;
        this.atPort = atPort;
    }

    /** Why an endpoint that is not open is not. */
    @FunctionalInterface
    public interface Excuses {
        /** @param guest whether who asks has a pass; for anybody else nothing has to be looked at anew */
        Future<Excuse> of(String id, boolean guest);
    }

    public Names names() {
        return names;
    }

    /**
     * Opens an app to whoever may go there.
     *
     * @param headers that every request gets
     * @param rewriteHost whether it is called by its own address
     */
    public void open(String id, SocketAddress address, Map<String, String> headers, boolean rewriteHost) {
        App before = apps.put(id, App.of(id, address, headers, rewriteHost, new Lines(vertx, lineMetrics, address)));
        if (before != null) {
            before.close();
        }
    }

    /** Cuts whatever goes to an app. */
    public void close(String id) {
        App before = apps.remove(id);
        if (before != null) {
            before.close();
        }
    }

    /** To which something was sent since this was asked last, or to which a connection is open; checks are none of that. */
    public Set<String> visited() {
        Set<String> all = new HashSet<>(visited);
        visited.removeAll(all);
        all.addAll(passes.busy());
        return all;
    }

    public boolean isOpen(String id) {
        return apps.containsKey(id);
    }

    /** Those who may not any more are cut off. */
    public void recheck(String id) {
        passes.revoke(pass -> pass.id.equals(id) && !allowed.test(pass.caller, id));
    }

    /**
     * The address that lets a browser in, once, and only within a minute.
     *
     * @param portal where that browser is now, and finds back to
     */
    public Future<String> ticket(Caller caller, String id, String portal, String origin, String path) {
        return passes.ticket(id, caller, portal)
                .map(ticket -> origin + ENTER + "?ticket=" + ticket + "&to="
                        + URLEncoder.encode(Paths.local(path), StandardCharsets.UTF_8));
    }

    /** The same of all endpoints. */
    public void recheck() {
        passes.revoke(pass -> !allowed.test(pass.caller, pass.id));
    }

    /** A pass with which a check has come in. */
    public void checks(String token) {
        passes.checks(token);
    }

    /** A pass that is not needed any more. */
    public void leave(String id, String token) {
        passes.leave(id, token);
    }

    @Override
    public void welcome(HttpConnection connection, Web.Stay stay) {
        if (!names.isInside()) {
            Shortcut.open(connection, new Regular(stay, metrics, this::isCurrent));
        }
    }

    /** Whether it is the same life of the same app that is open there. */
    private boolean isCurrent(Regular.Known known) {
        String id = known.pass().id;
        App app = apps.get(id);
        boolean same = app != null
                && app.lines() == known.app().lines()
                && (known.port() == 0 || id.equals(atPort.apply(known.port())));
        if (same && known.pass().counts) {
            visited.add(id);
        }
        return same;
    }

    @Override
    public boolean owns(HttpServerRequest request) {
        return names.owns(request);
    }

    @Override
    public Future<Void> handle(HttpServerRequest request, Web.Threshold threshold) {
        HostAndPort authority = request.authority();
        if (Refusal.isOver(request)) {
            return request.connection().close();
        }
        if (authority == null) {
            return Refusal.send(request, threshold, Excuse.of(Excuse.Kind.MALFORMED));
        }
        Names.Way way = names.way(request, authority, atPort);
        var visit = new Visit(request, threshold, way, authority);
        if (!Scrutiny.isReadable(request)) {
            return visit.refuse(Excuse.Kind.MALFORMED);
        }
        if (request.uri().equals(PROBE) && HttpMethod.GET.equals(request.method())) {
            return Refusal.here(request.response());
        }
        if (!Names.isId(visit.id)) {
            return visit.refuse(Excuse.Kind.UNKNOWN);
        }
        // two apps, one after the other, may have the same port
        boolean worker = (names.hasPorts() || names.isInside()) && "script".equals(request.getHeader("Service-Worker"));
        boolean foreign =
                names.isInside() ? Scrutiny.isNamed(request) : Scrutiny.isForeign(request, visit.asker.origin());
        if (worker || foreign) {
            return visit.refuse(Excuse.Kind.FOREIGN);
        }
        if (visit.asker.uri(request).startsWith(RESERVED) && !visit.isEcho()) {
            return visit.reserved();
        }
        List<String> tokens = names.isInside()
                ? way.token() == null ? List.of() : List.of(way.token())
                : Authenticator.cookies(
                        request.headers().getAll(HttpHeaders.COOKIE), Cookies.passName(visit.asker.secure(), visit.id));
        for (String token : tokens) {
            Pass pass = passes.known(visit.id, token);
            if (pass != null) {
                return visit.pass(pass);
            }
        }
        return tokens.isEmpty() ? visit.withoutPass() : visit.find(tokens, 0);
    }

    /** Futures of writes: a reader that has gone away is no fault of ours. */
    static void end(Future<?> written) {
        written.onFailure(gone -> LOG.log(System.Logger.Level.DEBUG, "event=reader-gone cause={0}", gone.getMessage()));
    }

    /** Over HTTP/2 one that has come to its end can not be held any more. */
    static void hold(HttpServerRequest request) {
        if (!request.isEnded()) {
            request.pause();
        }
    }

    static void readOn(HttpServerRequest request) {
        if (!request.isEnded()) {
            request.resume();
        }
    }

    public void close() {
        passes.close();
        apps.values().forEach(App::close);
        apps.clear();
    }

    /** One request on its way. */
    private final class Visit {
        private final HttpServerRequest request;
        private final Web.Threshold threshold;
        private final String id;
        private final Headers.Asker asker;
        /** Why it could not go the short way. */
        private final @Nullable Throwable trouble;

        Visit(HttpServerRequest request, Web.Threshold threshold, Names.Way way, HostAndPort authority) {
            this.request = request;
            this.threshold = threshold;
            this.trouble = Shortcut.trouble(request.connection());
            this.id = way.id();
            boolean secure = threshold.isSecure(request);
            String host = authority.host().toLowerCase(Locale.ROOT);
            this.asker = new Headers.Asker(
                    threshold.address(request),
                    secure,
                    host,
                    authority.port(),
                    Names.origin(secure, host, authority.port()),
                    names.hasPorts() ? id + "." : "",
                    way.prefix());
        }

        Future<Void> refuse(Excuse.Kind kind) {
            return refuse(Excuse.of(kind));
        }

        Future<Void> refuse(Excuse excuse) {
            metrics.refused(excuse.kind().key());
            return Refusal.send(request, threshold, excuse.portal() == null ? excuse.at(portal()) : excuse);
        }

        /** Shown before there is a pass: nothing of the app is told but that its job is over. */
        Future<Void> withoutPass() {
            hold(request);
            return excuses.of(id, false)
                    .compose(excuse -> refuse(
                            excuse.kind() == Excuse.Kind.ENDED || excuse.kind() == Excuse.Kind.UNKNOWN
                                    ? excuse
                                    : Excuse.of(Excuse.Kind.SIGNED_OUT).at(back(portal()))));
        }

        /** Where this browser came from; null: it does not show it. */
        private @Nullable String portal() {
            String origin = names.isInside()
                    ? asker.origin()
                    : Cookies.portal(request.headers().getAll(HttpHeaders.COOKIE), asker.secure(), id);
            return origin == null ? null : origin + "/endpoints/" + id;
        }

        /** To where it was, by way of the portal. */
        private @Nullable String back(@Nullable String portal) {
            String here = Paths.local(asker.uri(request));
            return portal == null || here.equals("/")
                    ? portal
                    : portal + "?to=" + URLEncoder.encode(here, StandardCharsets.UTF_8);
        }

        Future<Void> find(List<String> tokens, int at) {
            if (at == Math.min(tokens.size(), 4)) {
                return withoutPass();
            }
            hold(request);
            return passes.find(id, tokens.get(at), caller -> allowed.test(caller, id))
                    .compose(found -> found.isPresent() ? pass(found.get()) : find(tokens, at + 1));
        }

        Future<Void> pass(Pass pass) {
            pass.used = System.nanoTime();
            if (asker.isNobody() && request.headers().contains("Access-Control-Request-Method")) {
                Headers.preflight(request, request.response().headers());
                return request.response().setStatusCode(204).end();
            }
            if (isEcho()) {
                return pass.open.size() >= ECHOES
                        ? refuse(Excuse.Kind.FULL)
                        : Refusal.echo(request, pass, vertx, ECHO_MILLIS);
            }
            App app = apps.get(id);
            if (app == null) {
                hold(request);
                return excuses.of(id, true).compose(this::refuse);
            }
            if (pass.counts) {
                visited.add(id);
            }
            boolean again = trouble instanceof Lines.Stale;
            if (trouble != null && !again) {
                return told(Excuse.Kind.of(trouble));
            }
            if (Shortcut.guide(request.connection()) instanceof Regular regular) {
                regular.learn(request, names.port(request), pass, app, asker);
            }
            Future<Excuse.@Nullable Kind> over = Scrutiny.isUpgrade(request)
                    ? tunnels.open(request, app, pass, asker)
                    : proxy.exchange(request, app, pass, asker, again);
            return over.compose(kind -> kind == null ? Future.succeededFuture() : told(kind));
        }

        /** Why it is not there any more; else what was wrong, with an app that was there then: to ask has it looked at, and closed. */
        private Future<Void> told(Excuse.Kind trouble) {
            boolean open = isOpen(id);
            return excuses.of(id, true)
                    .compose(excuse ->
                            refuse(open && excuse.kind() == Excuse.Kind.STARTING ? Excuse.of(trouble) : excuse));
        }

        boolean isEcho() {
            return asker.uri(request).equals(ECHO) && Scrutiny.isUpgrade(request);
        }

        /** What is ours beneath every endpoint's name: the way in. */
        Future<Void> reserved() {
            String ticket = request.getParam("ticket");
            boolean enters = asker.uri(request).startsWith(ENTER + "?");
            if (!HttpMethod.GET.equals(request.method()) || !enters || ticket == null) {
                return refuse(Excuse.Kind.UNKNOWN);
            }
            String to = Paths.local(request.getParam("to"));
            return passes.enter(id, ticket).compose(entry -> entry.isEmpty() ? withoutPass() : letIn(entry.get(), to));
        }

        /** With a cookie of its own, or where the host is the portal's, with an address that nobody guesses. */
        private Future<Void> letIn(Passes.Entry entry, String to) {
            var response = request.response();
            if (!names.isInside()) {
                response.putHeader(
                        HttpHeaders.SET_COOKIE,
                        List.of(
                                Cookies.pass(asker.secure(), id, entry.token()),
                                Cookies.portal(asker.secure(), id, entry.portal())));
            }
            String prefix = names.isInside() ? Names.inside(id, entry.token()).prefix() : "";
            return response.setStatusCode(303)
                    .putHeader(HttpHeaders.LOCATION, prefix + to)
                    .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                    .putHeader("Referrer-Policy", "no-referrer")
                    .end();
        }
    }
}
