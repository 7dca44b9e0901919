package io.sluice.endpoints.road;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import io.sluice.endpoints.road.lines.Line;
import io.sluice.endpoints.road.lines.Lines;
import io.sluice.endpoints.road.lines.Mouth;
import io.sluice.endpoints.road.lines.Question;
import io.sluice.endpoints.road.lines.Talk;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.web.Authenticator;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands a request to an app and its answer to the browser, both as they come: who is slow on one side is waited for on the other. */
final class Proxy {
    private static final Set<HttpMethod> REPEATABLE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final Vertx vertx;
    private final RoadMetrics metrics;
    private final Authenticator authenticator;

    Proxy(Vertx vertx, RoadMetrics metrics, Authenticator authenticator) {
        this.vertx = vertx;
        this.metrics = metrics;
        this.authenticator = authenticator;
    }

    /**
     * The trouble there was before anything was answered; null: it was answered.
     *
     * @param again it was asked already, on a line that was closed
     */
    Future<Excuse.@Nullable Kind> exchange(
            HttpServerRequest request, App app, Pass pass, Headers.Asker asker, boolean again) {
        return new Exchange(request, app, pass, asker, again).begin();
    }

    /** What an app may be told of who signs in: everything but what signs in here. */
    static Future<Boolean> isOurs(Authenticator authenticator, @Nullable String authorization, Headers.Asker asker) {
        boolean known = authorization != null
                && (authorization.regionMatches(true, 0, "bearer ", 0, 7)
                        || authorization.regionMatches(true, 0, "basic ", 0, 6));
        if (!known) {
            return Future.succeededFuture(false);
        }
        return authenticator
                .authenticate(
                        new Authenticator.Credentials(authorization, null, null, asker.secure(), asker.address(), ""))
                .map(verdict -> verdict.caller() != null);
    }

    private final class Exchange implements Runnable, Talk {
        private final HttpServerRequest request;
        private final HttpServerResponse response;
        private final App app;
        private final Pass pass;
        private final Headers.Asker asker;
        private final Promise<Excuse.@Nullable Kind> over = Promise.promise();
        private final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
        private final Mouth mouth;
        private final Runnable gone;
        private @Nullable Line line;
        /** The credential that came is the portal's: no app sees it, not at a second try either. */
        private boolean withoutAuthorization;

        private boolean retried;
        private boolean answered;
        private boolean done;

        Exchange(HttpServerRequest request, App app, Pass pass, Headers.Asker asker, boolean again) {
            this.request = request;
            this.response = request.response();
            this.app = app;
            this.pass = pass;
            this.asker = asker;
            this.retried = again;
            this.mouth = new Mouth(request);
            this.gone = () -> context.runOnContext(now -> leave());
        }

        Future<Excuse.@Nullable Kind> begin() {
            Road.hold(request);
            metrics.exchanges(1);
            pass.open.add(this);
            app.open().add(gone);
            response.exceptionHandler(gone -> cut());
            response.closeHandler(gone -> cut());
            String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
            if (authorization == null) {
                ask();
            } else {
                isOurs(authenticator, authorization, asker)
                        .onSuccess(ours -> context.runOnContext(now -> {
                            withoutAuthorization = ours;
                            ask();
                        }))
                        .onFailure(broken -> context.runOnContext(now -> broken(broken)));
            }
            if (!pass.valid) {
                cut();
            }
            return over.future();
        }

        private void ask() {
            if (!done) {
                app.lines().lend(context.nettyEventLoop(), this, retried);
            }
        }

        @Override
        public boolean isWanted() {
            return !done;
        }

        @Override
        public Object origin() {
            return request.connection();
        }

        @Override
        public void connected(Line lent) {
            if (done) {
                lent.close();
                return;
            }
            line = lent;
            mouth.listen(lent);
            MultiMap headers = MultiMap.caseInsensitiveMultiMap();
            Headers.toApp(request, headers, asker, app);
            if (withoutAuthorization && !app.headers().containsKey("Authorization")) {
                headers.remove(HttpHeaders.AUTHORIZATION);
            }
            String cookies = Cookies.toApp(request.headers().getAll(HttpHeaders.COOKIE), asker.space());
            if (cookies != null && !asker.isNobody()) {
                headers.set(HttpHeaders.COOKIE, cookies);
            }
            var question = new Question(request, asker.uri(request), headers);
            question.ask(lent);
            if (!question.hasBody()) {
                Road.readOn(request);
                return;
            }
            if (request.headers().contains(HttpHeaders.EXPECT, "100-continue", true)) {
                Road.end(response.writeContinue());
            }
            question.tell(lent, () -> !done && line == lent, this::cut);
        }

        @Override
        public void answered(HttpResponse head) {
            if (done) {
                return;
            }
            int status = head.status().code();
            try {
                var said = (MultiMap) head.headers();
                Headers.toBrowser(said, response.headers(), asker);
                Answers.finish(said, status, response, request, asker, app);
            } catch (IllegalArgumentException noHeader) {
                give(noHeader);
                return;
            }
            answered = true;
            metrics.answered(status);
            response.setStatusCode(status);
        }

        @Override
        public void heard(ByteBuf bytes) {
            if (done) {
                bytes.release();
            } else {
                mouth.say(bytes);
            }
        }

        @Override
        public void quiet() {
            if (answered && !done) {
                mouth.speak();
            }
        }

        @Override
        public void ended() {
            if (!done) {
                line = null;
                mouth.end().onSuccess(whole -> finish(null)).onFailure(half -> cut());
                // what an app did not want to hear goes by
                if (!request.isEnded()) {
                    request.handler((Buffer unheard) -> {}).resume();
                }
            }
        }

        @Override
        public void drained() {
            if (!request.isEnded()) {
                request.resume();
            }
        }

        @Override
        public void broken(Throwable cause) {
            Line had = line;
            line = null;
            if (done) {
                return;
            }
            if (answered || response.headWritten()) {
                cut();
                return;
            }
            boolean again = !retried && had != null && had.isStale(cause) && isRepeatable();
            if (again) {
                // a connection that had rested was closed at the other end while this was on its way
                retried = true;
                ask();
            } else {
                finish(Excuse.Kind.of(cause));
            }
        }

        private void give(Throwable cause) {
            Line had = line;
            line = null;
            if (had != null) {
                had.close();
            }
            finish(Excuse.Kind.of(cause));
        }

        private boolean isRepeatable() {
            return REPEATABLE.contains(request.method()) && !Question.hasBody(request);
        }

        /** The pass is gone. */
        @Override
        public void run() {
            context.runOnContext(now -> cut());
        }

        /** The app is gone: who has heard nothing of it yet is told why. */
        private void leave() {
            if (answered || response.headWritten()) {
                cut();
            } else if (!done) {
                give(Lines.gone());
            }
        }

        /** One of the two sides is gone: half an answer must not look like a whole one. */
        private void cut() {
            if (done) {
                return;
            }
            Line had = line;
            line = null;
            if (had != null) {
                had.close();
            }
            if (request.version() != HttpVersion.HTTP_2) {
                Road.end(request.connection().close());
            } else if (!response.ended()) {
                Road.end(response.reset());
            }
            finish(null);
        }

        private void finish(Excuse.@Nullable Kind trouble) {
            if (!done) {
                done = true;
                mouth.close();
                metrics.exchanges(-1);
                pass.open.remove(this);
                app.open().remove(gone);
                over.complete(trouble);
            }
        }
    }
}
