package io.sluice.endpoints.checks;

import io.sluice.endpoints.recipes.Recipe;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Asks apps how they are, themselves or by the way that browsers have. Each question has a connection of its own. */
public final class Probes {
    private static final int MILLIS = 4_000;
    private static final int MOST = 256 << 10;

    /** Of questions to one app at a time; one that hangs has no more of them than that. */
    private static final int AT_ONCE = 2;

    private static final int WAITING = 8;

    private final HttpClientAgent apps;
    private final HttpClientAgent doors;
    private final WebSocketClient sockets;

    public Probes(Vertx vertx) {
        this.apps = client(vertx, AT_ONCE, WAITING);
        // inside of the portal's address all endpoints are one host
        this.doors = client(vertx, Checks.MOST, Checks.MOST);
        this.sockets = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setConnectTimeout(MILLIS)
                .setMaxConnections(Checks.MOST)
                .setTrustAll(true)
                .setVerifyHost(false));
    }

    /** The gateway asks itself: whose certificate that shows is no question. */
    private static HttpClientAgent client(Vertx vertx, int connections, int waiting) {
        return vertx.createHttpClient(
                new HttpClientOptions()
                        .setKeepAlive(false)
                        .setConnectTimeout(MILLIS)
                        .setTrustAll(true)
                        .setVerifyHost(false)
                        .setMaxHeaderSize(64 << 10),
                new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(waiting));
    }

    public Future<Boolean> isWell(SocketAddress address, Recipe.Probe probe, Map<String, String> headers) {
        return status(address, probe.path(), headers).map(probe::isGood).otherwise(false);
    }

    Future<Integer> status(SocketAddress address, String path, Map<String, String> headers) {
        var options = new RequestOptions()
                .setServer(address)
                .setHost(address.host())
                .setPort(address.port())
                .setMethod(HttpMethod.GET)
                .setURI(path);
        headers.forEach(options::putHeader);
        // its body may be endless, and is nobody's interest
        return ask(apps, options, answer -> Future.succeededFuture(answer.statusCode()));
    }

    /** Whatever becomes of it, nothing of it stays open; who waits for a connection has gone before the next is free. */
    private static <T> Future<T> ask(
            HttpClientAgent client, RequestOptions options, Function<HttpClientResponse, Future<T>> read) {
        Future<HttpClientRequest> begun =
                client.request(options.setConnectTimeout(MILLIS / 2).setIdleTimeout(MILLIS));
        return begun.compose(
                        request -> request.exceptionHandler(told -> {}).send().compose(answer -> {
                            answer.exceptionHandler(told -> {});
                            return read.apply(answer);
                        }))
                .timeout(MILLIS, TimeUnit.MILLISECONDS)
                .onComplete(over -> begun.onSuccess(request -> request.reset().onFailure(gone -> {})));
    }

    /** @param text the beginning of it */
    record Page(int status, String text) {}

    Future<Page> page(Entrance way, String path) {
        return ask(doors, options(way, path), answer -> text(answer).map(text -> new Page(answer.statusCode(), text)));
    }

    Future<Entrance> enter(Entrance way) {
        return ask(doors, options(way, way.first()), answer -> {
            String set = answer.cookies().isEmpty() ? null : answer.cookies().getFirst();
            return Future.succeededFuture(way.entered(
                    answer.statusCode(),
                    set == null ? null : set.replaceFirst(";.*", ""),
                    answer.getHeader(HttpHeaders.LOCATION)));
        });
    }

    private static RequestOptions options(Entrance way, String path) {
        var options = new RequestOptions()
                .setServer(way.listener())
                .setHost(way.host())
                .setPort(way.port())
                .setSsl(way.tls())
                .setMethod(HttpMethod.GET)
                .setURI(path)
                .putHeader(HttpHeaders.ACCEPT, "text/html,*/*");
        String cookie = way.cookie();
        return cookie == null ? options : options.putHeader(HttpHeaders.COOKIE, cookie);
    }

    private static Future<String> text(HttpClientResponse answer) {
        Promise<String> whole = Promise.promise();
        Buffer read = Buffer.buffer();
        answer.exceptionHandler(whole::tryFail);
        answer.handler(piece -> {
            read.appendBuffer(piece);
            if (read.length() > MOST) {
                whole.tryComplete(read.toString());
            }
        });
        answer.endHandler(ended -> whole.tryComplete(read.toString()));
        return whole.future();
    }

    Future<WebSocket> open(Entrance way, String path) {
        var options = new WebSocketConnectOptions();
        options.setServer(way.listener())
                .setHost(way.host())
                .setPort(way.port())
                .setSsl(way.tls())
                .setURI(path);
        options.addHeader(HttpHeaders.ORIGIN.toString(), way.origin());
        String cookie = way.cookie();
        if (cookie != null) {
            options.addHeader(HttpHeaders.COOKIE.toString(), cookie);
        }
        return sockets.connect(options).timeout(MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whoever speaks WebSocket sends back what it is pinged with. */
    Future<Void> echo(WebSocket socket) {
        Promise<Void> back = Promise.promise();
        Buffer sent = Buffer.buffer(UUID.randomUUID().toString());
        if (socket.isClosed()) {
            return Future.failedFuture("closed with code " + socket.closeStatusCode());
        }
        socket.closeHandler(closed -> back.tryFail("closed with code " + socket.closeStatusCode()));
        socket.exceptionHandler(back::tryFail);
        socket.pongHandler(came -> {
            if (came.equals(sent)) {
                back.tryComplete();
            }
        });
        return socket.writePing(sent).compose(pinged -> back.future()).timeout(MILLIS, TimeUnit.MILLISECONDS);
    }

    public Future<Void> close() {
        return Future.join(apps.close(), doors.close(), sockets.close()).mapEmpty();
    }
}
