package io.sluice.web;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The order in which every request is handled, and the checks that each route names. */
final class Edge implements Web.Threshold {
    static final String JSON = "application/json; charset=utf-8";
    private static final System.Logger LOG = System.getLogger(Edge.class.getName());
    /** Of one cookie's name. */
    private static final int MOST_VALUES = 4;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Web.Settings settings;
    private final List<Route> routes;
    private final Authenticator authenticator;
    private final Pages pages;
    private final Live live;
    private final AccessLog accessLog;
    private final Web.Metrics metrics;
    private final Guards guards;
    private final Errors errors;
    private final Vertx vertx;

    Edge(
            Vertx vertx,
            Web.Settings settings,
            List<Route> routes,
            Authenticator authenticator,
            Web.Translation translation,
            Pages pages,
            Live live,
            AccessLog accessLog,
            Web.Metrics metrics) {
        this.vertx = vertx;
        this.settings = settings;
        this.routes = routes;
        this.authenticator = authenticator;
        this.pages = pages;
        this.live = live;
        this.accessLog = accessLog;
        this.metrics = metrics;
        this.guards = new Guards(settings.tls(), settings.callsPerMinute(), metrics.refused.labels("calls")::inc);
        this.errors = new Errors(pages, translation);
    }

    /** The order of handlers. */
    Router router() {
        Router router = Router.router(vertx);
        router.route()
                .handler(this::begin) // id, nonce, headers, access log
                .handler(this::refuseAmbiguousPath)
                .handler(this::refuseForeignChange);
        router.route("/assets/*").method(HttpMethod.GET).method(HttpMethod.HEAD).handler(pages.assets()::serve);
        router.route().handler(this::authenticate);
        routes.forEach(route -> mount(router, route)); // each: allowed? → body → its room
        router.route().handler(context -> errors.answer(context, Errors.unknown(context)));
        router.route().failureHandler(errors::answer);
        return router;
    }

    /** What WebSockets may speak here. */
    List<String> subprotocols() {
        return Stream.concat(
                        Stream.of(Live.SUBPROTOCOL),
                        routes.stream().flatMap(route -> Stream.ofNullable(route.subprotocol())))
                .distinct()
                .toList();
    }

    static boolean isApi(String path) {
        return path.startsWith("/api/") || path.startsWith("/rest-server/");
    }

    /** Futures of writes: a reader that has gone away is no fault of ours, and the connection's close is seen elsewhere. */
    static void end(Future<?> written) {
        written.onFailure(gone -> LOG.log(System.Logger.Level.DEBUG, "event=reader-gone cause={0}", gone.getMessage()));
    }

    /** What is left of a request that was paused goes by. Over HTTP/2 nothing may be asked of one that has ended. */
    static void readOn(HttpServerRequest request) {
        if (!request.isEnded()) {
            request.resume();
        }
    }

    private void mount(Router router, Route route) {
        mount(router, route, route.path());
        if (route.isApi()) {
            mount(router, route, "/rest-server" + route.path());
        }
    }

    private void mount(Router router, Route route, String path) {
        var mounted = router.route(route.method(), path);
        if (HttpMethod.GET.equals(route.method())) {
            mounted.method(HttpMethod.HEAD);
        }
        mounted.handler(context -> pass(context, route));
    }

    private void begin(RoutingContext context) {
        HttpServerRequest request = context.request().pause(); // until somebody reads the body
        long start = System.nanoTime();
        String nonce = random(16);
        var passage = new Call.Passage(
                random(9),
                nonce,
                isSecure(request),
                address(request),
                fromTrustedProxy(request),
                null,
                null,
                List.of());
        context.put("passage", passage);
        guards.headers(context.response().headers(), nonce);
        context.response().putHeader("X-Request-Id", passage.id());
        context.put("begun", start);
        context.addEndHandler(ended -> report(context));
        context.next();
    }

    private void refuseAmbiguousPath(RoutingContext context) {
        proceedUnless(
                context,
                guards.ambiguous(
                        Optional.ofNullable(context.request().path()).orElse(""),
                        Optional.ofNullable(context.request().query()).orElse("")));
    }

    private void refuseForeignChange(RoutingContext context) {
        proceedUnless(context, guards.foreign(context.request()));
    }

    private void proceedUnless(RoutingContext context, @Nullable Problem problem) {
        if (problem == null) {
            context.next();
        } else {
            errors.answer(context, problem);
        }
    }

    private void authenticate(RoutingContext context) {
        Call.Passage passage = passage(context);
        var shown = shown(context.request(), passage);
        boolean program = !shown.getFirst().byCookie();
        Problem tooMany = program ? guards.tooOften(context.normalizedPath(), passage.address()) : null;
        if (tooMany != null) {
            errors.answer(context, tooMany); // before its token costs anything
            return;
        }
        authenticate(shown, 0)
                .onSuccess(verdict -> {
                    context.put(
                            "passage",
                            new Call.Passage(
                                    passage.id(),
                                    passage.nonce(),
                                    passage.secure(),
                                    passage.address(),
                                    passage.proxied(),
                                    verdict.caller(),
                                    verdict.problem(),
                                    verdict.cookies()));
                    // pages of the portal ask as often as they need
                    boolean page = verdict.caller() != null && verdict.caller().kind() == Caller.Kind.SESSION;
                    proceedUnless(
                            context,
                            program || page ? null : guards.tooOften(context.normalizedPath(), passage.address()));
                })
                .onFailure(context::fail);
    }

    /** Who is let in by the first that lets anybody in. */
    private Future<Authenticator.Verdict> authenticate(List<Authenticator.Credentials> shown, int at) {
        return authenticator
                .authenticate(shown.get(at))
                .compose(verdict -> verdict.caller() == null && at + 1 < shown.size()
                        ? authenticate(shown, at + 1)
                        : Future.succeededFuture(verdict));
    }

    /**
     * Usually one. Whatever else is served at the same host may have set a cookie of the same name, which must sign nobody
     * out: then each value counts by itself, a few of them.
     */
    private static List<Authenticator.Credentials> shown(HttpServerRequest request, Call.Passage passage) {
        List<String> sessions = cookies(request, Authenticator.SESSION_COOKIE, passage);
        List<String> refreshes = cookies(request, Authenticator.REFRESH_COOKIE, passage);
        if (sessions.size() <= 1 && refreshes.size() <= 1) {
            return List.of(shown(request, passage, first(sessions), first(refreshes)));
        }
        return Stream.concat(
                        sessions.stream().map(session -> shown(request, passage, session, null)),
                        refreshes.stream().map(refresh -> shown(request, passage, null, refresh)))
                .toList();
    }

    private static Authenticator.Credentials shown(
            HttpServerRequest request, Call.Passage passage, @Nullable String session, @Nullable String refresh) {
        return new Authenticator.Credentials(
                request.getHeader(HttpHeaders.AUTHORIZATION),
                session,
                refresh,
                passage.secure(),
                passage.address(),
                Optional.ofNullable(request.getHeader(HttpHeaders.USER_AGENT)).orElse(""));
    }

    private void pass(RoutingContext context, Route route) {
        Problem refusal = Guards.refusal(route, passage(context));
        if (refusal != null) {
            if (refusal.kind() == Problem.Kind.UNAUTHENTICATED && Errors.wantsPage(context)) {
                Errors.sendToSignIn(context);
            } else {
                errors.answer(context, refusal);
            }
            return;
        }
        body(context, route)
                .map(body -> new Call(context, passage(context), body))
                .compose(call -> answered(call, route).compose(reply -> send(call, reply)))
                .onFailure(context::fail);
    }

    private Future<Reply> answered(Call call, Route route) {
        Future<Reply> answer = route.handling().handle(call);
        return route.streams() ? answer : answer.timeout(settings.answerSeconds(), TimeUnit.SECONDS);
    }

    /** What is no HTTP at all, or more of it than is allowed. */
    void refuseMalformed(HttpServerRequest request) {
        metrics.refused.labels("malformed").inc();
        var response = request.response();
        guards.headers(response.headers(), random(16));
        var cause = Optional.<@Nullable DecoderResult>ofNullable(request.decoderResult())
                .map(DecoderResult::cause);
        boolean bomb =
                cause.filter(TooLongHttpHeaderException.class::isInstance).isPresent();
        Problem problem = Problem.invalid(
                bomb
                        ? "The request's headers are too long. If a browser asked, it had more cookies than anybody reads:"
                                + " they are cleared now. Load the page again, and sign in."
                        : "This is not a request that can be read: "
                                + cause.map(Throwable::getMessage)
                                        .orElse("it names no host, or what it asks for does not begin with a slash")
                                + ".");
        if (bomb) {
            // whoever set them on this host, the browser would be refused for as long as it kept them
            response.putHeader("Clear-Site-Data", "\"cookies\"");
        }
        response.setStatusCode(bomb ? 431 : problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
                .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        end(response.end(Call.json(Map.of("code", problem.code(), "message", problem.message())))
                .eventually(() -> request.connection().close()));
    }

    private Future<Buffer> body(RoutingContext context, Route route) {
        HttpServerRequest request = context.request();
        if (route.streams() || HttpMethod.GET.equals(request.method()) || HttpMethod.HEAD.equals(request.method())) {
            return Future.succeededFuture(Buffer.buffer());
        }
        return Call.receive(vertx, request, route.bodyLimit(), settings.bodySeconds());
    }

    private Future<Void> send(Call call, Reply reply) {
        var response = call.context().response();
        if (reply.content instanceof Reply.Content.Socket socket) {
            // an upgrade sends headers, and nothing of what is kept as cookies
            call.passage().cookies().forEach(cookie -> response.headers().add(HttpHeaders.SET_COOKIE, cookie.encode()));
            response.setStatusCode(reply.status);
            // its answer has no end that anybody tells of
            return live.upgrade(call, socket).onSuccess(opened -> report(call.context()));
        }
        response.setStatusCode(reply.status);
        Guards.answer(reply.headers, response.headers());
        call.passage().cookies().forEach(response::addCookie);
        reply.cookies.forEach(cookie -> {
            response.removeCookies(cookie.getName(), false); // a room's answer knows better than the check before it
            response.addCookie(cookie);
        });
        readOn(call.context().request());
        return switch (reply.content) {
            case Reply.Content.Json(Object value) -> end(call, JSON, Call.json(value));
            case Reply.Content.Bytes(String type, Buffer bytes) -> end(call, type, bytes);
            case Reply.Content.Page(String template, Object page) ->
                end(call, Pages.HTML, pages.draw(template, pages.view(call), page));
            case Reply.Content.Stream stream ->
                call.context().request().method().equals(HttpMethod.HEAD) ? response.end() : live.hold(call, stream);
            case Reply.Content.Nothing() -> response.end();
            case Reply.Content.Socket(var opened) -> throw new IllegalStateException("sockets were answered above");
        };
    }

    private static Future<Void> end(Call call, String type, Buffer bytes) {
        var response = call.context().response();
        if (!response.headers().contains(HttpHeaders.CONTENT_TYPE)) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, type);
        }
        return response.end(bytes);
    }

    private void report(RoutingContext context) {
        long nanos = System.nanoTime() - context.<Long>get("begun");
        var request = context.request();
        String status = Integer.toString(context.response().getStatusCode());
        metrics.requests.labels(AccessLog.known(request.method()), status).observe(nanos / 1e9);
        accessLog.write(AccessLog.line(context, passage(context), nanos));
    }

    @Override
    public boolean isSecure(HttpServerRequest request) {
        return settings.tls() || (fromTrustedProxy(request) && "https".equals(lastOf(request, "X-Forwarded-Proto")));
    }

    @Override
    public Buffer page(HttpServerRequest request, String template, Object page, String nonce) {
        String language = View.language(
                null,
                Optional.ofNullable(request.getHeader(HttpHeaders.ACCEPT_LANGUAGE))
                        .orElse(""));
        return pages.draw(template, pages.view(language, null, nonce, "/", null), page);
    }

    @Override
    public String address(HttpServerRequest request) {
        String forwarded = fromTrustedProxy(request) ? lastOf(request, "X-Forwarded-For") : null;
        return forwarded == null ? request.remoteAddress().hostAddress() : forwarded;
    }

    /** What the proxy itself wrote: some append to the line that the client sent, others add a line of their own after it. */
    private static @Nullable String lastOf(HttpServerRequest request, String name) {
        List<String> lines = request.headers().getAll(name);
        if (lines.isEmpty()) {
            return null;
        }
        String last = lines.getLast();
        return last.substring(last.lastIndexOf(',') + 1).strip();
    }

    private boolean fromTrustedProxy(HttpServerRequest request) {
        return settings.trustedProxies().contains(request.remoteAddress().hostAddress());
    }

    private static List<String> cookies(HttpServerRequest request, String name, Call.Passage passage) {
        return Authenticator.cookies(
                        request.headers().getAll(HttpHeaders.COOKIE), Authenticator.cookieName(name, passage.secure()))
                .stream()
                .limit(MOST_VALUES)
                .toList();
    }

    private static @Nullable String first(List<String> values) {
        return values.isEmpty() ? null : values.getFirst();
    }

    static Call.Passage passage(RoutingContext context) {
        return context.get("passage");
    }

    private static String random(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }
}
