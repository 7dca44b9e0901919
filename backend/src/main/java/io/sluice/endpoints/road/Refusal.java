package io.sluice.endpoints.road;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.AttributeKey;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.web.Web;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.Base64;

/** Answers in an app's place: a page for people, a sentence for programs. */
final class Refusal {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int LOOK_SECONDS = 2;
    private static final AttributeKey<Boolean> OVER = AttributeKey.valueOf("sluice.endpoints.over");

    private Refusal() {}

    /** Whether what came before on this connection could be read in two ways: then so can what follows. */
    static boolean isOver(HttpServerRequest request) {
        return request.connection() instanceof HttpServerConnection connection
                && connection.channelHandlerContext().channel().hasAttr(OVER);
    }

    /** For pages of the portal that look whether a browser gets here. */
    static Future<Void> here(HttpServerResponse response) {
        return response.putHeader(HttpHeaders.CONTENT_TYPE, "text/plain")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("Access-Control-Allow-Origin", "*")
                .putHeader("Cross-Origin-Resource-Policy", "cross-origin")
                .putHeader("X-Content-Type-Options", "nosniff")
                .end("sluice");
    }

    /** Pings are answered by whatever speaks WebSocket; what else is sent is not looked at. */
    static Future<Void> echo(HttpServerRequest request, Pass pass, Vertx vertx, long millis) {
        Road.readOn(request);
        return request.toWebSocket()
                .onSuccess(socket -> {
                    Runnable end = () -> Road.end(socket.close());
                    pass.open.add(end);
                    long timer = vertx.setTimer(millis, late -> end.run());
                    socket.exceptionHandler(broken -> {});
                    socket.closeHandler(closed -> {
                        vertx.cancelTimer(timer);
                        pass.open.remove(end);
                    });
                })
                .mapEmpty();
    }

    static Future<Void> send(HttpServerRequest request, Web.Threshold threshold, Excuse excuse) {
        var response = request.response();
        if (response.headWritten() || response.closed()) {
            return request.connection().close();
        }
        byte[] random = new byte[16];
        RANDOM.nextBytes(random);
        String nonce = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        response.headers().clear();
        response.setStatusCode(excuse.kind().status())
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader(
                        "Content-Security-Policy",
                        "default-src 'none'; style-src 'nonce-" + nonce
                                + "'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setStatusMessage(
                HttpResponseStatus.valueOf(excuse.kind().status()).reasonPhrase());
        if (excuse.kind().status() == 503) {
            response.putHeader("Retry-After", "" + LOOK_SECONDS);
        }
        boolean unread = !request.isEnded() && !HttpMethod.GET.equals(request.method());
        boolean cut = (unread || excuse.kind() == Excuse.Kind.MALFORMED) && request.version() != HttpVersion.HTTP_2;
        if (cut && request.connection() instanceof HttpServerConnection connection) {
            connection.channelHandlerContext().channel().attr(OVER).set(true);
        }
        if (cut) {
            // what else comes on this connection was not read, or could be read in two ways
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        boolean page = accept != null && accept.contains("text/html");
        if (page && excuse.again()) {
            response.putHeader("Refresh", "" + LOOK_SECONDS);
        }
        response.putHeader(
                HttpHeaders.CONTENT_TYPE, page ? "text/html; charset=utf-8" : "application/json; charset=utf-8");
        var body = page
                ? threshold.page(request, "endpoints/excuse.jte", excuse, nonce)
                : new JsonObject()
                        .put("code", "EndpointError")
                        .put("message", excuse.kind().sentence)
                        .toBuffer();
        Road.readOn(request);
        Future<Void> sent = HttpMethod.HEAD.equals(request.method()) ? response.end() : response.end(body);
        return cut ? sent.eventually(() -> request.connection().close()) : sent;
    }
}
