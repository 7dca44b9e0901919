package io.sluice;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** In Grafana's place: answers at its addresses as it does, and records what it is sent. */
final class GrafanaStandIn implements AutoCloseable {
    static final byte[] FILE = new byte[3 << 20];

    /** @param upgrade whether it asked for a WebSocket */
    record Received(String method, String uri, MultiMap headers, String body, boolean upgrade) {}

    final List<Received> received = new CopyOnWriteArrayList<>();
    final List<ServerWebSocket> sockets = new CopyOnWriteArrayList<>();
    /** How it tells whether it is well. */
    volatile Consumer<HttpServerRequest> health = GrafanaStandIn::well;

    private final HttpServer server;

    GrafanaStandIn(Vertx vertx) {
        for (int at = 0; at < FILE.length; at++) {
            FILE[at] = (byte) (at * 31);
        }
        server = vertx.createHttpServer()
                .webSocketHandshakeHandler(handshake -> {
                    received.add(new Received("GET", handshake.uri(), handshake.headers(), "", true));
                    handshake.accept();
                })
                .webSocketHandler(socket -> {
                    sockets.add(socket);
                    socket.textMessageHandler(socket::writeTextMessage);
                    socket.binaryMessageHandler(socket::writeBinaryMessage);
                })
                .requestHandler(this::answer)
                .listen(0, "127.0.0.1")
                .await();
    }

    String address() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    static void well(HttpServerRequest request) {
        request.response()
                .putHeader("Content-Type", "application/json")
                .end("{\n  \"database\": \"ok\",\n  \"version\": \"13.0.1\"\n}");
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            received.add(
                    new Received(request.method().name(), request.uri(), request.headers(), body.toString(), false));
            var response = request.response()
                    .putHeader("Set-Cookie", "grafana_session=stolen; Path=/")
                    .putHeader("X-Frame-Options", "deny")
                    .putHeader("Content-Security-Policy", "default-src *")
                    .putHeader("X-WEBAUTH-USER", "root");
            switch (request.path()) {
                case "/grafana/api/health" -> health.accept(request);
                case "/grafana/public/build/app.js" ->
                    response.putHeader("Content-Type", "application/javascript")
                            .putHeader("Cache-Control", "public, max-age=3600")
                            .putHeader("Content-Length", "" + FILE.length)
                            .end(Buffer.buffer(FILE));
                case "/grafana/logout" ->
                    response.setStatusCode(302)
                            .putHeader("Location", "https://elsewhere.example/login")
                            .end();
                case "/grafana/moved" ->
                    response.setStatusCode(302)
                            .putHeader("Location", "http://localhost:3000/grafana/d/sluice-job?x=1")
                            .end();
                case "/grafana/api/ds/query" ->
                    response.putHeader("Content-Type", "application/json")
                            .setChunked(true)
                            .end("{\"results\":{}}");
                case "/grafana/d/sluice-job/job" ->
                    response.putHeader("Content-Type", "text/html; charset=UTF-8")
                            .end(page(request));
                default -> response.setStatusCode(404).end("{\"message\":\"Not found\"}");
            }
        });
    }

    private static String page(HttpServerRequest request) {
        boolean dark = "dark".equals(request.getParam("theme"));
        return "<!doctype html><html><title>Grafana</title><body style=\"background:" + (dark ? "#111217" : "#f4f5f5")
                + ";color:" + (dark ? "#ccccdc" : "#24292e")
                + "\"><h1>Stand-in</h1><script src=\"/grafana/public/build/app.js\" async></script></body></html>";
    }

    void forget() {
        received.clear();
    }

    @Override
    public void close() {
        server.close().await();
    }
}
