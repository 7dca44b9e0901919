package io.sluice.endpoints.road;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpResponse;
import io.sluice.endpoints.road.lines.Line;
import io.sluice.endpoints.road.lines.Lines;
import io.sluice.endpoints.road.lines.Question;
import io.sluice.endpoints.road.lines.Talk;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.endpoints.road.passes.Seats;
import io.sluice.web.Authenticator;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.net.ConnectException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** WebSockets to apps. Once both sides have agreed, bytes go by as they are, and who is slow on one side is waited for on the other. */
final class Tunnels {
    private static final int MOST = 20_000;
    private static final int MOST_OF_ONE = 6_000;
    private static final int MOST_OF_PASS = 1_000;
    private static final long ANSWER_MILLIS = 30_000;
    private static final long FAREWELL_MILLIS = 30_000;

    private final Vertx vertx;
    private final RoadMetrics metrics;
    private final Authenticator authenticator;
    private final Seats seats = new Seats(MOST, MOST_OF_ONE);

    Tunnels(Vertx vertx, RoadMetrics metrics, Authenticator authenticator) {
        this.vertx = vertx;
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
        if (pass.open.size() >= MOST_OF_PASS || !seats.take(pass.caller.name())) {
            return Future.succeededFuture(Excuse.Kind.FULL);
        }
        return new Tunnel(request, app, pass, asker).begin();
    }

    private final class Tunnel implements Runnable, Talk {
        private final HttpServerRequest request;
        private final App app;
        private final Pass pass;
        private final Headers.Asker asker;
        private final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
        private final Promise<Excuse.@Nullable Kind> over = Promise.promise();
        private final Runnable gone;
        private @Nullable Line line;
        private @Nullable Channel near;
        private long timer = -1;
        /** One side has closed; the other is told the rest of it, if it listens. */
        private boolean farewell;
        /** The credential that came is the portal's: no app sees it. */
        private boolean withoutAuthorization;

        private boolean done;

        Tunnel(HttpServerRequest request, App app, Pass pass, Headers.Asker asker) {
            this.request = request;
            this.app = app;
            this.pass = pass;
            this.asker = asker;
            this.gone = () -> context.runOnContext(now -> broken(Lines.gone()));
        }

        Future<Excuse.@Nullable Kind> begin() {
            request.pause();
            metrics.tunnels(1);
            pass.open.add(this);
            app.open().add(gone);
            request.response().closeHandler(gone -> cut());
            String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
            if (authorization == null) {
                ask();
            } else {
                Proxy.isOurs(authenticator, authorization, asker)
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
                timer = vertx.setTimer(ANSWER_MILLIS, late -> broken(new TimeoutException()));
                app.lines().open(context.nettyEventLoop(), this);
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
        public void connected(Line opened) {
            line = opened;
            MultiMap headers = MultiMap.caseInsensitiveMultiMap();
            Headers.toApp(request, headers, asker, app);
            if (withoutAuthorization && !app.headers().containsKey("Authorization")) {
                headers.remove(HttpHeaders.AUTHORIZATION);
            }
            headers.set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, "websocket");
            String cookies = Cookies.toApp(request.headers().getAll(HttpHeaders.COOKIE), asker.space());
            if (cookies != null && !asker.isNobody()) {
                headers.set(HttpHeaders.COOKIE, cookies);
            }
            new Question(request, asker.uri(request), headers).ask(opened);
        }

        @Override
        public void answered(HttpResponse head) {
            vertx.cancelTimer(timer);
            if (done) {
                return;
            }
            int status = head.status().code();
            var said = (MultiMap) head.headers();
            if (status != 101 || !"websocket".equalsIgnoreCase(said.get(HttpHeaders.UPGRADE))) {
                declined(status);
                return;
            }
            var response = request.response();
            try {
                Headers.toBrowser(said, response.headers(), asker);
                Answers.cookies(said, response, asker);
            } catch (IllegalArgumentException noHeader) {
                response.headers().clear();
                declined(502);
                return;
            }
            response.setStatusCode(101);
            response.headers().set(HttpHeaders.CONNECTION, "Upgrade").set(HttpHeaders.UPGRADE, "websocket");
            metrics.answered(101);
            request.toNetSocket().onSuccess(this::join).onFailure(this::broken);
        }

        /** Back-pressure in both directions is the relay's own. */
        private void join(NetSocket browser) {
            Line far = line;
            if (done || far == null || !far.channel().isActive()) {
                Road.end(browser.close());
                cut();
                return;
            }
            Channel socket =
                    ((NetSocketInternal) browser).channelHandlerContext().channel();
            near = socket;
            // only what was sent before it was known that there is a tunnel
            browser.handler(early -> far.send(((BufferInternal) early).getByteBuf()));
            far.join(socket);
            socket.closeFuture().addListener(closed -> closed());
            far.channel().closeFuture().addListener(closed -> closed());
        }

        /** What one side said at last may still be on its way to the other. */
        private void closed() {
            if ((near == null || !near.isOpen())
                    && (line == null || !line.channel().isOpen())) {
                finish(null);
            } else if (!done && !farewell) {
                farewell = true;
                timer = vertx.setTimer(FAREWELL_MILLIS, late -> cut());
            }
        }

        @Override
        public void heard(ByteBuf bytes) {
            bytes.release();
        }

        @Override
        public void quiet() {}

        @Override
        public void ended() {}

        @Override
        public void drained() {}

        /** An app that does not want to speak WebSocket says so, and no more. */
        private void declined(int status) {
            metrics.answered(status);
            hangUp();
            var response = request.response();
            response.setStatusCode(status >= 400 && status < 600 ? status : 502)
                    .putHeader(HttpHeaders.CONTENT_LENGTH, "0")
                    .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            request.resume();
            Road.end(response.end().eventually(() -> request.connection().close()));
            finish(null);
        }

        @Override
        public void broken(Throwable failure) {
            if (request.response().headWritten()) {
                cut();
            } else if (!done) {
                hangUp();
                finish(
                        failure instanceof ConnectException
                                ? Excuse.Kind.REFUSED
                                : failure instanceof Lines.Full ? Excuse.Kind.FULL : Excuse.Kind.BROKEN);
            }
        }

        private void hangUp() {
            Line had = line;
            line = null;
            if (had != null) {
                had.close();
            }
        }

        /** The pass is gone. */
        @Override
        public void run() {
            context.runOnContext(now -> cut());
        }

        private void cut() {
            if (done) {
                return;
            }
            Channel browser = near;
            hangUp();
            if (browser == null) {
                Road.end(request.connection().close());
            } else {
                var unused = browser.close();
            }
            finish(null);
        }

        private void finish(Excuse.@Nullable Kind trouble) {
            if (!done) {
                done = true;
                vertx.cancelTimer(timer);
                seats.leave(pass.caller.name());
                metrics.tunnels(-1);
                pass.open.remove(this);
                app.open().remove(gone);
                over.complete(trouble);
            }
        }
    }
}
