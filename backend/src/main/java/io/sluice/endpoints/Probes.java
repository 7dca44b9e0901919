package io.sluice.endpoints;

import io.sluice.endpoints.recipes.Recipe;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Asks apps themselves how they are. Each question has a connection of its own. */
final class Probes {
    private static final int MILLIS = 4_000;

    private final HttpClientAgent client;

    Probes(Vertx vertx) {
        this.client = vertx.createHttpClient(new HttpClientOptions()
                .setKeepAlive(false)
                .setConnectTimeout(MILLIS)
                .setMaxHeaderSize(64 << 10));
    }

    Future<Boolean> isWell(SocketAddress address, Recipe.Probe probe, Map<String, String> headers) {
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
        return client.request(options)
                .compose(request -> request.exceptionHandler(told -> {}).send().compose(answer -> {
                    answer.exceptionHandler(told -> {});
                    return request.reset().otherwiseEmpty().map(answer.statusCode());
                }))
                .timeout(MILLIS, TimeUnit.MILLISECONDS);
    }

    Future<Void> close() {
        return client.close();
    }
}
