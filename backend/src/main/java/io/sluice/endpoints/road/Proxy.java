package io.sluice.endpoints.road;

import io.sluice.web.Authenticator;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.net.ConnectException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Hands a request to an app and its answer to the browser, both as they come: who is slow on one side is waited for on the other. */
final class Proxy {
    private static final long ANSWER_MILLIS = 300_000;
    private static final Set<HttpMethod> REPEATABLE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final Vertx vertx;
    private final RoadMetrics metrics;
    private final Authenticator authenticator;

    Proxy(Vertx vertx, RoadMetrics metrics, Authenticator authenticator) {
        this.vertx = vertx;
        this.metrics = metrics;
        this.authenticator = authenticator;
    }

    /** The trouble there was before anything was answered; null: it was answered. */
    Future<Excuse.@Nullable Kind> exchange(HttpServerRequest request, App app, Pass pass, Headers.Asker asker) {
        return new Exchange(request, app, pass, asker).begin();
    }

    /** What an app may be told of who signs in: everything but what signs in here. */
    static Future<Boolean> isOurs(Authenticator authenticator, @Nullable String authorization, Headers.Asker asker) {
        if (authorization == null || !authorization.regionMatches(true, 0, "bearer ", 0, 7)) {
            return Future.succeededFuture(false);
        }
        return authenticator
                .authenticate(
                        new Authenticator.Credentials(authorization, null, null, asker.secure(), asker.address(), ""))
                .map(verdict -> verdict.caller() != null);
    }

    private final class Exchange implements Runnable {
        private final HttpServerRequest request;
        private final HttpServerResponse response;
        private final App app;
        private final Pass pass;
        private final Headers.Asker asker;
        private final Promise<Excuse.@Nullable Kind> over = Promise.promise();
        private @Nullable HttpClientRequest asked;
        private final Context context = vertx.getOrCreateContext();
        private long timer = -1;
        /** The credential that came is the portal's: no app sees it, not at a second try either. */
        private boolean withoutAuthorization;

        private boolean retried;
        private boolean answered;
        private boolean done;

        Exchange(HttpServerRequest request, App app, Pass pass, Headers.Asker asker) {
            this.request = request;
            this.response = request.response();
            this.app = app;
            this.pass = pass;
            this.asker = asker;
        }

        Future<Excuse.@Nullable Kind> begin() {
            request.pause();
            metrics.exchanges(1);
            pass.open.add(this);
            app.open().add(this);
            response.exceptionHandler(gone -> cut());
            response.closeHandler(gone -> cut());
            String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
            if (authorization == null) {
                ask();
            } else {
                isOurs(authenticator, authorization, asker)
                        .onSuccess(ours -> {
                            withoutAuthorization = ours;
                            ask();
                        })
                        .onFailure(this::failed);
            }
            if (!pass.valid) {
                cut();
            }
            return over.future();
        }

        private void ask() {
            var options = new RequestOptions()
                    .setServer(app.address())
                    .setHost(app.address().host())
                    .setPort(app.address().port())
                    .setMethod(request.method())
                    .setURI(asker.uri(request));
            app.client().request(options).onSuccess(this::send).onFailure(this::failed);
        }

        private void send(HttpClientRequest out) {
            if (done) {
                Road.end(out.reset());
                return;
            }
            asked = out;
            // told of by its futures too; unheard, it would be logged as a fault of ours
            out.exceptionHandler(told -> {});
            MultiMap headers = out.headers();
            Headers.toApp(request, headers, asker, app);
            if (withoutAuthorization && !app.headers().containsKey("Authorization")) {
                headers.remove(HttpHeaders.AUTHORIZATION);
            }
            String cookies = Cookies.toApp(request.headers().getAll(HttpHeaders.COOKIE), asker.space());
            if (cookies != null && !asker.isNobody()) {
                headers.set(HttpHeaders.COOKIE, cookies);
            }
            boolean second = retried;
            Handler<Throwable> failed = broken -> failed(second, broken);
            out.response().onSuccess(this::answer).onFailure(failed);
            if (hasBody()) {
                if (!headers.contains(HttpHeaders.CONTENT_LENGTH)) {
                    out.setChunked(true);
                }
                if (request.headers().contains(HttpHeaders.EXPECT, "100-continue", true)) {
                    Road.end(response.writeContinue());
                }
                request.pipe()
                        .endOnFailure(false)
                        .to(out)
                        .onSuccess(sent -> await())
                        .onFailure(broken -> {
                            if (!answered) {
                                failed.handle(broken);
                            }
                        });
            } else {
                request.resume();
                await();
                out.end().onFailure(failed);
            }
        }

        /** Only from when the app has all of it: an upload takes as long as it takes. */
        private void await() {
            if (!done && !answered) {
                timer = vertx.setTimer(ANSWER_MILLIS, late -> failed(new TimeoutException()));
            }
        }

        /** One broken connection is told of more than once; the first try says nothing about the second. */
        private void failed(boolean second, Throwable failure) {
            if (second == retried) {
                failed(failure);
            }
        }

        private boolean hasBody() {
            String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
            return request.version() == HttpVersion.HTTP_2
                    ? !request.isEnded()
                            && !HttpMethod.GET.equals(request.method())
                            && !HttpMethod.HEAD.equals(request.method())
                    : request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                            || (length != null && !length.equals("0"));
        }

        private void answer(HttpClientResponse answer) {
            vertx.cancelTimer(timer);
            answer.exceptionHandler(told -> {});
            if (done) {
                return;
            }
            answered = true;
            int status = answer.statusCode();
            if (status == 101 || status < 100 || status > 599) {
                answered = false;
                failed(new IllegalStateException("status " + status));
                return;
            }
            metrics.answered(status);
            response.setStatusCode(status);
            Headers.toBrowser(answer.headers(), response.headers(), asker);
            Answers.finish(answer, response, request, asker, app);
            Future<Void> sent = HttpMethod.HEAD.equals(request.method()) || status == 204 || status == 304
                    ? drained(answer)
                    : answer.pipe().endOnFailure(false).to(response);
            sent.onSuccess(whole -> finish(null)).onFailure(half -> cut());
        }

        private Future<Void> drained(HttpClientResponse answer) {
            answer.handler((Buffer none) -> {});
            return response.end();
        }

        private void failed(Throwable failure) {
            vertx.cancelTimer(timer);
            if (done) {
                return;
            }
            HttpClientRequest out = asked;
            if (answered || response.headWritten()) {
                cut();
                return;
            }
            boolean refused = failure instanceof ConnectException;
            if (!retried
                    && !refused
                    && !(failure instanceof TimeoutException)
                    && REPEATABLE.contains(request.method())
                    && !hasBody()) {
                // a connection that had rested was closed at the other end while this was on its way
                retried = true;
                asked = null;
                ask();
                return;
            }
            if (out != null) {
                Road.end(out.reset());
            }
            finish(
                    refused
                            ? Excuse.Kind.REFUSED
                            : failure instanceof TimeoutException
                                    ? Excuse.Kind.SLOW
                                    : String.valueOf(failure.getMessage()).contains("wait queue")
                                            ? Excuse.Kind.FULL
                                            : Excuse.Kind.BROKEN);
        }

        /** The pass or the app is gone, or one of the two sides: half an answer must not look like a whole one. */
        @Override
        public void run() {
            context.runOnContext(now -> cut());
        }

        private void cut() {
            if (done) {
                return;
            }
            HttpClientRequest out = asked;
            if (out != null) {
                Road.end(out.reset());
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
                vertx.cancelTimer(timer);
                metrics.exchanges(-1);
                pass.open.remove(this);
                app.open().remove(this);
                over.complete(trouble);
            }
        }
    }
}
