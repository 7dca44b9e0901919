package io.sluice.endpoints.road;

import io.netty.util.AsciiString;
import io.sluice.endpoints.road.lines.Lines;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One life of an app in one task's attempt, with connections of its own: what comes after it on the same port never gets
 * one of them.
 *
 * @param headers that every request gets
 * @param rewriteHost whether it is called by its own address
 * @param open what goes on with it, by how that is told that the app is gone
 */
record App(
        String id,
        SocketAddress address,
        Map<String, String> headers,
        boolean rewriteHost,
        Lines lines,
        Set<Runnable> open) {
    static App of(String id, SocketAddress address, Map<String, String> headers, boolean rewriteHost, Lines lines) {
        headers.forEach(HttpHeaders.headers()::add); // refuses what is none
        return new App(id, address, Map.copyOf(headers), rewriteHost, lines, ConcurrentHashMap.newKeySet());
    }

    /** By its own address. */
    String origin() {
        return "http://" + address.host() + ":" + address.port();
    }

    /** Whether it gets this header from us, whatever was sent. */
    boolean says(CharSequence name) {
        return !headers.isEmpty()
                && headers.keySet().stream().anyMatch(own -> AsciiString.contentEqualsIgnoreCase(own, name));
    }

    /** Ends everything that goes through it: what has been heard of it by half is cut, who has heard nothing yet is told why. */
    void close() {
        open.forEach(Runnable::run);
        lines.close();
    }
}
