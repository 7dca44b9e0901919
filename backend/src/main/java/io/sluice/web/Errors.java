package io.sluice.web;

import io.netty.channel.unix.Errors.NativeIoException;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The one place where a failure becomes an answer: JSON for programs, a page that helps for people. */
final class Errors {
    private static final String TEMPLATE = "web/error.jte";
    private static final System.Logger LOG = System.getLogger(Errors.class.getName());

    /** What tells of the body of an answer; where that does not come, it would be untrue of the one that does. */
    private static final List<CharSequence> DESCRIBING = List.of(
            HttpHeaders.CONTENT_LENGTH,
            HttpHeaders.CONTENT_ENCODING,
            HttpHeaders.CONTENT_RANGE,
            HttpHeaders.createOptimized("Content-Disposition"),
            HttpHeaders.ETAG,
            HttpHeaders.LAST_MODIFIED);

    private final Pages pages;
    private final Web.Translation translation;

    Errors(Pages pages, Web.Translation translation) {
        this.pages = pages;
        this.translation = translation;
    }

    /** Answers what a handler failed with, or what the router itself refused. */
    void answer(RoutingContext context) {
        if (hasGone(context)) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "event=reader-gone path={0} cause={1}",
                    AccessLog.path(path(context)),
                    context.failure());
        } else {
            answer(context, problemOf(context));
        }
    }

    /** Whoever asked has left, and nothing failed but telling them. */
    private static boolean hasGone(RoutingContext context) {
        // the connection is closed a little before its answers are told so
        boolean closed =
                context.response().closed() || !Live.channel(context.request()).isActive();
        return closed
                && (context.failure().getClass() == VertxException.class
                        || context.failure() instanceof HttpClosedException
                        || context.failure() instanceof StreamResetException
                        || context.failure() instanceof ClosedChannelException
                        || context.failure() instanceof NativeIoException);
    }

    void answer(RoutingContext context, Problem problem) {
        var response = context.response();
        if (response.ended() || response.headWritten()) {
            Edge.end(context.request().connection().close()); // half an answer must not look like a whole one
            return;
        }
        DESCRIBING.forEach(response.headers()::remove);
        response.setChunked(false).setStatusCode(problem.status());
        var retry = problem.retryAfter();
        if (retry != null) {
            response.putHeader("Retry-After", Long.toString(Math.max(1, retry.toSeconds())));
        }
        boolean cutOff = (problem.kind() == Problem.Kind.TOO_LARGE || problem.kind() == Problem.Kind.TOO_SLOW)
                && !context.request().isEnded();
        if (cutOff && context.request().version() != HttpVersion.HTTP_2) {
            // said before it is done, or the other side sends its next request into the closing connection
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        Edge.passage(context).cookies().forEach(response::addCookie);
        Buffer page = wantsPage(context) ? page(context, problem) : null;
        response.putHeader(HttpHeaders.CONTENT_TYPE, page == null ? Edge.JSON : Pages.HTML);
        Edge.readOn(context.request());
        Edge.end(response.end(page == null ? json(problem) : page)
                .compose(sent -> cutOff ? context.request().connection().close() : Future.succeededFuture()));
    }

    /** Somebody who is not signed in asked for a page: it is shown after signing in. */
    static void sendToSignIn(RoutingContext context) {
        String uri = context.request().uri();
        boolean worthReturning = HttpMethod.GET.equals(context.request().method()) && !uri.equals("/");
        String next = worthReturning ? "?next=" + URLEncoder.encode(uri, StandardCharsets.UTF_8) : "";
        Edge.readOn(context.request());
        Edge.passage(context).cookies().forEach(context.response()::addCookie);
        Edge.end(context.response()
                .setStatusCode(303)
                .putHeader("Location", "/sign-in" + next)
                .end());
    }

    static boolean wantsPage(RoutingContext context) {
        String accept = context.request().getHeader(HttpHeaders.ACCEPT);
        return !Edge.isApi(path(context))
                && accept != null
                && accept.contains("text/html")
                && context.request().getHeader(HttpHeaders.UPGRADE) == null;
    }

    private Problem problemOf(RoutingContext context) {
        Throwable failure = context.failure();
        if (failure == null) {
            return context.statusCode() == 405 ? notAllowed(context) : unknown(context);
        }
        if (failure instanceof Problem problem) {
            return problem;
        }
        Problem translated = translation.problem(failure, isReading(context));
        if (translated != null) {
            return translated;
        }
        return failure instanceof TimeoutException
                ? Problem.of(Problem.Kind.TOO_SLOW, "The answer took too long. Try again in a moment.")
                : broken(context, failure);
    }

    static Problem unknown(RoutingContext context) {
        return Problem.notFound("API " + path(context) + " is not found.");
    }

    private static boolean isReading(RoutingContext context) {
        return HttpMethod.GET.equals(context.request().method())
                || HttpMethod.HEAD.equals(context.request().method());
    }

    private static Problem notAllowed(RoutingContext context) {
        return Problem.of(
                Problem.Kind.NOT_ALLOWED, context.request().method() + " is not possible on " + path(context) + ".");
    }

    private static Problem broken(RoutingContext context, Throwable failure) {
        String id = Edge.passage(context).id();
        LOG.log(
                System.Logger.Level.ERROR,
                "event=request-failed id=" + id + " path=" + AccessLog.path(path(context)),
                failure);
        return Problem.of(
                Problem.Kind.BROKEN,
                "Something went wrong on our side. Give your administrator the id of this request: " + id + ".");
    }

    /** Null when the page itself can not be drawn: that must not hide the error it was to tell. */
    private @Nullable Buffer page(RoutingContext context, Problem problem) {
        var call = new Call(context, Edge.passage(context), Buffer.buffer());
        String kind = problem.kind().name().toLowerCase(Locale.ROOT).replace('_', '-');
        String message = pages.said(problem.message(), call.language());
        var failure = new View.Failure(kind, problem.status(), message, call.id());
        try {
            return pages.draw(TEMPLATE, pages.view(call), failure);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "event=error-page-failed id=" + call.id(), e);
            return null;
        }
    }

    private static Buffer json(Problem problem) {
        return Call.json(Map.of("code", problem.code(), "message", problem.message()));
    }

    private static String path(RoutingContext context) {
        return Optional.<@Nullable String>ofNullable(context.request().path()).orElse("");
    }
}
