package io.sluice.endpoints.road;

import io.sluice.web.Authenticator;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetSocket;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** WebSockets to apps. Once both sides have agreed, bytes go by as they are, and who is slow on one side is waited for on the other. */
final class Tunnels {
    private static final int MOST = 20_000;
    private static final int MOST_OF_ONE = 1_000;
    private static final long ANSWER_MILLIS = 30_000;

    private final RoadMetrics metrics;
    private final Authenticator authenticator;
    private final AtomicInteger open = new AtomicInteger();

    Tunnels(RoadMetrics metrics, Authenticator authenticator) {
        this.metrics = metrics;
        this.authenticator = authenticator;
    }

    /** The trouble there was before anything was answered; null: it was answered. */
    Future<Excuse.@Nullable Kind> open(HttpServerRequest request, App app, Pass pass, Headers.Asker asker) {
        boolean webSocket = HttpMethod.GET.equals(request.method())
                && request.version() == HttpVersion.HTTP_1_1
                && "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE))
                && request.getHeader("Sec-WebSocket-Key") != null
                && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                && !request.headers().contains(HttpHeaders.CONTENT_LENGTH);
        if (!webSocket) {
            return Future.succeededFuture(Excuse.Kind.MALFORMED);
        }
        if (open.get() >= MOST || pass.open.size() >= MOST_OF_ONE) {
            return Future.succeededFuture(Excuse.Kind.FULL);
        }
        return new Tunnel(request, app, pass, asker).begin();
    }

    private final class Tunnel implements Runnable {
        private final HttpServerRequest request;
        private final App app;
        private final Pass pass;
        private final Headers.Asker asker;
        private final Context context = Vertx.currentContext();
        private final Promise<Excuse.@Nullable Kind> over = Promise.promise();
        private @Nullable HttpClientRequest asked;
        private @Nullable NetSocket near;
        private @Nullable NetSocket far;
        /** The credential that came is the portal's: no app sees it. */
        private boolean withoutAuthorization;

        private boolean done;

        Tunnel(HttpServerRequest request, App app, Pass pass, Headers.Asker asker) {
            this.request = request;
            this.app = app;
            this.pass = pass;
            this.asker = asker;
        }

        Future<Excuse.@Nullable Kind> begin() {
            request.pause();
            open.incrementAndGet();
            metrics.tunnels(1);
            pass.open.add(this);
            app.open().add(this);
            String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
            if (authorization == null) {
                ask();
            } else {
                Proxy.isOurs(authenticator, authorization, asker)
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
                    .setMethod(HttpMethod.GET)
                    .setURI(asker.uri(request))
                    .setIdleTimeout(ANSWER_MILLIS);
            app.upgrades().request(options).onSuccess(this::send).onFailure(this::failed);
        }

        private void send(HttpClientRequest out) {
            if (done) {
                Road.end(out.reset());
                return;
            }
            asked = out;
            out.exceptionHandler(told -> {});
            MultiMap headers = out.headers();
            Headers.toApp(request, headers, asker, app);
            if (withoutAuthorization && !app.headers().containsKey("Authorization")) {
                headers.remove(HttpHeaders.AUTHORIZATION);
            }
            headers.set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, "websocket");
            String cookies = Cookies.toApp(request.headers().getAll(HttpHeaders.COOKIE), asker.space());
            if (cookies != null && !asker.isNobody()) {
                headers.set(HttpHeaders.COOKIE, cookies);
            }
            out.connect().onSuccess(this::answer).onFailure(this::failed);
        }

        private void answer(HttpClientResponse answer) {
            answer.exceptionHandler(told -> {});
            if (done) {
                return;
            }
            boolean agreed =
                    answer.statusCode() == 101 && "websocket".equalsIgnoreCase(answer.getHeader(HttpHeaders.UPGRADE));
            if (!agreed) {
                declined(answer);
                return;
            }
            NetSocket app = answer.netSocket();
            app.pause();
            far = app;
            var response = request.response();
            response.setStatusCode(101);
            Headers.toBrowser(answer.headers(), response.headers(), asker);
            Answers.cookies(answer.headers(), response, asker);
            response.headers().set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, "websocket");
            metrics.answered(101);
            request.toNetSocket().onSuccess(this::join).onFailure(this::failed);
        }

        /** Back-pressure in both directions is the pipes' own. */
        private void join(NetSocket browser) {
            NetSocket app = far;
            if (done || app == null) {
                Road.end(browser.close());
                return;
            }
            near = browser;
            browser.closeHandler(closed -> cut());
            app.closeHandler(closed -> cut());
            browser.exceptionHandler(broken -> cut());
            app.exceptionHandler(broken -> cut());
            browser.pipeTo(app).onComplete(ended -> cut());
            app.pipeTo(browser).onComplete(ended -> cut());
        }

        /** An app that does not want to speak WebSocket says so, and no more. */
        private void declined(HttpClientResponse answer) {
            int status = answer.statusCode();
            metrics.answered(status);
            HttpClientRequest out = asked;
            if (out != null) {
                Road.end(out.reset());
            }
            var response = request.response();
            response.setStatusCode(status >= 400 && status < 600 ? status : 502)
                    .putHeader(HttpHeaders.CONTENT_LENGTH, "0")
                    .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            request.resume();
            Road.end(response.end().eventually(() -> request.connection().close()));
            finish(null);
        }

        private void failed(Throwable failure) {
            if (request.response().headWritten()) {
                cut();
            } else {
                HttpClientRequest out = asked;
                if (out != null) {
                    Road.end(out.reset());
                }
                finish(failure instanceof ConnectException ? Excuse.Kind.REFUSED : Excuse.Kind.BROKEN);
            }
        }

        /** The pass or the app is gone. */
        @Override
        public void run() {
            context.runOnContext(now -> cut());
        }

        private void cut() {
            if (done) {
                return;
            }
            NetSocket browser = near;
            NetSocket app = far;
            HttpClientRequest out = asked;
            if (app != null) {
                Road.end(app.close());
            } else if (out != null) {
                Road.end(out.reset());
            }
            Road.end(browser == null ? request.connection().close() : browser.close());
            finish(null);
        }

        private void finish(Excuse.@Nullable Kind trouble) {
            if (!done) {
                done = true;
                open.decrementAndGet();
                metrics.tunnels(-1);
                pass.open.remove(this);
                app.open().remove(this);
                over.complete(trouble);
            }
        }
    }
}
