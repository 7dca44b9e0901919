package io.sluice.endpoints.road;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * One life of an app in one task's attempt, with connections of its own: what comes after it on the same port never gets
 * one of them.
 *
 * @param headers that every request gets
 * @param rewriteHost whether it is called by its own address
 * @param upgrades has the connections that become tunnels and stay it: however many there are, pages still find one
 */
public record App(
        String id,
        SocketAddress address,
        Map<String, String> headers,
        boolean rewriteHost,
        HttpClientAgent client,
        HttpClientAgent upgrades,
        Set<Runnable> open) {
    private static final int CONNECTIONS = 256;
    private static final int WAITING = 1_024;
    private static final int TUNNELS = 10_000;
    private static final int HEADER_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS = 5_000;
    /** Shorter than what usual servers allow, so that none closes what is about to be used. */
    private static final int REST_SECONDS = 4;

    public static App of(
            Vertx vertx, String id, SocketAddress address, Map<String, String> headers, boolean rewriteHost) {
        var options = new HttpClientOptions()
                .setKeepAliveTimeout(REST_SECONDS)
                .setConnectTimeout(CONNECT_MILLIS)
                .setMaxHeaderSize(HEADER_BYTES)
                .setMaxInitialLineLength(HEADER_BYTES)
                .setMaxChunkSize(64 << 10)
                .setDecompressionSupported(false)
                .setTcpNoDelay(true);
        var pool = new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(WAITING);
        return new App(
                id,
                address,
                Map.copyOf(headers),
                rewriteHost,
                vertx.httpClientBuilder().with(options).with(pool).build(),
                vertx.httpClientBuilder()
                        .with(options)
                        .with(new PoolOptions().setHttp1MaxSize(TUNNELS).setMaxWaitQueueSize(WAITING))
                        .build(),
                ConcurrentHashMap.newKeySet());
    }

    /** Cuts everything that goes through it. */
    void close() {
        open.forEach(Runnable::run);
        Road.end(client.shutdown(0, TimeUnit.SECONDS));
        Road.end(upgrades.shutdown(0, TimeUnit.SECONDS));
    }
}
