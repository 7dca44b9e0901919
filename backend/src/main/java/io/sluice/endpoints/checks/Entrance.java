package io.sluice.endpoints.checks;

import io.vertx.core.net.SocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where one comes in, and what is shown there from then on.
 *
 * @param listener of the gateway
 * @param tls whether it speaks TLS itself
 * @param host by which the endpoint is asked for
 * @param first the address that lets in
 * @param prefix of all paths; empty: there is none
 * @param cookie that is shown; null: none, as pages inside of the portal's address have none
 * @param token of the pass; null: it was not let in
 * @param status of the answer
 */
record Entrance(
        SocketAddress listener,
        boolean tls,
        String host,
        int port,
        String first,
        String prefix,
        @Nullable String cookie,
        @Nullable String token,
        int status) {

    static Entrance of(String address, Subject subject) {
        URI uri = URI.create(address);
        int port = uri.getPort() > 0 ? uri.getPort() : address.startsWith("https:") ? 443 : 80;
        SocketAddress asked = subject.listener();
        return new Entrance(
                subject.ownPort() ? SocketAddress.inetSocketAddress(port, asked.host()) : asked,
                subject.tls(),
                uri.getHost(),
                port,
                uri.getRawPath() + "?" + uri.getRawQuery(),
                "",
                null,
                null,
                0);
    }

    /** With the answer to a ticket for the path {@code /}. */
    Entrance entered(int status, @Nullable String cookie, @Nullable String location) {
        if (status != 303 || location == null || !location.endsWith("/")) {
            return new Entrance(listener, tls, host, port, first, "", null, null, status);
        }
        String within = location.substring(0, location.length() - 1);
        return cookie != null
                ? new Entrance(
                        listener, tls, host, port, first, "", cookie, cookie.substring(cookie.indexOf('=') + 1), status)
                : new Entrance(
                        listener,
                        tls,
                        host,
                        port,
                        first,
                        within,
                        null,
                        within.substring(within.lastIndexOf('/') + 1),
                        status);
    }

    String authority() {
        return host + ":" + port;
    }

    /** As a page from there has it. */
    String origin() {
        boolean usual = port == (tls ? 443 : 80);
        return cookie == null ? "null" : (tls ? "https://" : "http://") + host + (usual ? "" : ":" + port);
    }

    String path(String path) {
        return prefix + path;
    }
}
