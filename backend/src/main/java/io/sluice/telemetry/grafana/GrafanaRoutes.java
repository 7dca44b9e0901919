package io.sluice.telemetry.grafana;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Grafana below the portal's own address, for whoever is signed in. The edge has checked where a change and a WebSocket come from. */
final class GrafanaRoutes {
    private static final System.Logger LOG = System.getLogger(GrafanaRoutes.class.getName());
    /** The one address of Grafana's that speaks WebSocket. */
    private static final String LIVE = Grafana.PATH + "api/live/ws";

    private static final int BODY_LIMIT = 4 << 20;
    /** What is answered whole; what is longer goes by piece by piece and counts among its user's streams. */
    private static final int WHOLE = 1 << 20;

    private static final int MOST_OF_A_MESSAGE = 4 << 20;
    private static final int MOST_SOCKETS = 1_000;
    private static final long LIVE_MILLIS = 10_000;
    /** Between its first piece and the beginning of the answer to the browser. */
    private static final long TAKEN_UP_MILLIS = 10_000;

    private final Vertx vertx;
    private final Grafana grafana;
    private final HttpClient client;
    private final WebSocketClient sockets;
    private final GrafanaMetrics metrics;

    GrafanaRoutes(Vertx vertx, Grafana grafana, HttpClient client, GrafanaMetrics metrics) {
        this.vertx = vertx;
        this.grafana = grafana;
        this.client = client;
        this.sockets = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setMaxFrameSize(MOST_OF_A_MESSAGE)
                .setMaxMessageSize(MOST_OF_A_MESSAGE)
                .setMaxConnections(MOST_SOCKETS));
        this.metrics = metrics;
    }

    List<Route> routes() {
        return Stream.of(HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE)
                .map(method -> Route.of(method, Grafana.PATH + "*", this::pass)
                        .withoutApplications()
                        .bodyLimit(BODY_LIMIT))
                .toList();
    }

    private Future<Reply> pass(Call call) {
        if (!grafana.isThere()) {
            throw Problem.notFound("There is no Grafana beside this gateway (--grafana).");
        }
        if (!call.uri().startsWith(Grafana.PATH)) {
            return Future.succeededFuture(Reply.seeOther(Grafana.PATH));
        }
        boolean live =
                call.path().equals(LIVE) && call.header("Upgrade").orElse("").equalsIgnoreCase("websocket");
        Future<Reply> answer = live ? live(call) : exchange(call);
        return answer.recover(failure -> Future.failedFuture(away(failure)));
    }

    private Throwable away(Throwable failure) {
        if (failure instanceof Problem) {
            return failure;
        }
        metrics.answered(0);
        LOG.log(System.Logger.Level.WARNING, "event=grafana-unanswered cause={0}", failure.toString());
        return Problem.unavailable(
                "Grafana does not answer. The built-in charts are there without it.", failure, Duration.ofSeconds(15));
    }

    private Future<Reply> exchange(Call call) {
        var options = grafana.request(call.method(), call.uri());
        return client.request(options)
                .compose(out -> {
                    Headers.toGrafana(call, out.headers());
                    return out.send(call.body());
                })
                .compose(answer -> {
                    metrics.answered(answer.statusCode());
                    Map<String, String> headers = Headers.toBrowser(answer.headers(), call.uri());
                    return reply(call, answer).map(reply -> with(headers, reply).status(answer.statusCode()));
                });
    }

    private static Reply with(Map<String, String> headers, Reply reply) {
        Reply whole = reply;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            whole = whole.header(header.getKey(), header.getValue());
        }
        return whole;
    }

    private Future<Reply> reply(Call call, HttpClientResponse answer) {
        boolean empty =
                call.method().equals(HttpMethod.HEAD) || answer.statusCode() == 204 || answer.statusCode() == 304;
        if (empty) {
            answer.resume();
            return Future.succeededFuture(Reply.nothing());
        }
        String type = Optional.ofNullable(answer.getHeader("Content-Type")).orElse("application/octet-stream");
        Promise<Reply> reply = Promise.promise();
        Buffer begun = Buffer.buffer();
        answer.exceptionHandler(reply::tryFail);
        answer.endHandler(ended -> reply.tryComplete(Reply.bytes(type, begun)));
        answer.handler(piece -> {
            begun.appendBuffer(piece);
            if (begun.length() > WHOLE) {
                answer.pause();
                reply.tryComplete(piecewise(begun, answer).header("Content-Type", type));
            }
        });
        return reply.future();
    }

    private Reply piecewise(Buffer begun, HttpClientResponse rest) {
        // where the browser may have no more streams, nobody takes it up, and its connection is one of few
        long left = vertx.setTimer(TAKEN_UP_MILLIS, nobody -> rest.request().reset());
        return Reply.stream(response -> {
            vertx.cancelTimer(left);
            response.setChunked(true);
            return response.write(begun)
                    .compose(written -> rest.pipeTo(response))
                    .onFailure(broken -> rest.request().reset());
        });
    }

    private Future<Reply> live(Call call) {
        var to = grafana.request(HttpMethod.GET, call.uri());
        MultiMap headers = MultiMap.caseInsensitiveMultiMap();
        Headers.toGrafana(call, headers);
        var options = new WebSocketConnectOptions()
                .setHost(to.getHost())
                .setPort(to.getPort())
                .setSsl(to.isSsl())
                .setURI(to.getURI())
                .setHeaders(headers)
                .setTimeout(LIVE_MILLIS)
                .setAllowOriginHeader(false);
        return sockets.connect(options).map(far -> {
            metrics.answered(101);
            var wire = new Wire(vertx, metrics, far);
            return Reply.socket(wire::join);
        });
    }

    Future<Void> close() {
        return sockets.close();
    }
}
