package io.sluice.endpoints;

import io.sluice.endpoints.recipes.Recipe;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Asks apps themselves how they are. Each question has a connection of its own. */
final class Probes {
    private static final int MILLIS = 4_000;
    private static final int MOST = 256 << 10;

    private final HttpClientAgent client;
    private final WebSocketClient sockets;

    Probes(Vertx vertx) {
        this.client = vertx.createHttpClient(new HttpClientOptions()
                .setKeepAlive(false)
                .setConnectTimeout(MILLIS)
                .setMaxHeaderSize(64 << 10));
        this.sockets = vertx.createWebSocketClient(new WebSocketClientOptions().setConnectTimeout(MILLIS));
    }

    Future<Boolean> isWell(SocketAddress address, Recipe.Probe probe, Map<String, String> headers) {
        return status(address, probe.path(), headers).map(probe::isGood).otherwise(false);
    }

    Future<Integer> status(SocketAddress address, String path, Map<String, String> headers) {
        var options = options(address, path, headers);
        // its body may be endless, and is nobody's interest
        return client.request(options)
                .compose(request -> request.exceptionHandler(told -> {}).send().compose(answer -> {
                    answer.exceptionHandler(told -> {});
                    return request.reset().otherwiseEmpty().map(answer.statusCode());
                }))
                .timeout(MILLIS, TimeUnit.MILLISECONDS);
    }

    /** @param text the beginning of it */
    record Page(int status, String text) {}

    Future<Page> page(SocketAddress address, String path, Map<String, String> headers) {
        var options = options(address, path, headers);
        return client.request(options)
                .compose(request -> request.send()
                        .compose(answer -> text(answer)
                                .map(text -> new Page(answer.statusCode(), text))
                                .onSuccess(read -> request.reset().onFailure(gone -> {}))))
                .timeout(MILLIS, TimeUnit.MILLISECONDS);
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

    Future<Void> socket(SocketAddress address, String path, Map<String, String> headers) {
        var options = new WebSocketConnectOptions();
        options.setServer(address)
                .setHost(address.host())
                .setPort(address.port())
                .setURI(path);
        headers.forEach(options::addHeader);
        return sockets.connect(options).compose(WebSocket::close).timeout(MILLIS, TimeUnit.MILLISECONDS);
    }

    private static RequestOptions options(SocketAddress address, String path, Map<String, String> headers) {
        var options = new RequestOptions()
                .setServer(address)
                .setHost(address.host())
                .setPort(address.port())
                .setMethod(HttpMethod.GET)
                .setURI(path);
        headers.forEach(options::putHeader);
        return options;
    }

    Future<Void> close() {
        return Future.join(client.close(), sockets.close()).mapEmpty();
    }
}
