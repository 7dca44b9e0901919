package io.sluice.telemetry.history;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The road to Prometheus. Whatever it answers, no more is read than is allowed, and nobody waits longer. */
public final class Upstream {
    /**
     * Where it is.
     *
     * @param authorization that it wants to be shown; null: none
     */
    public record Place(URI address, @Nullable String authorization) {
        /** Without what is shown. */
        @Override
        public String toString() {
            return "Place[" + address + "]";
        }
    }

    /** @param waiting questions that may wait for a connection */
    public record Limits(int connections, int waiting, long millis, int bytes) {}

    /** @param type what it says that the body is */
    public record Answer(int status, String type, Buffer body) {}

    /** More than is read. */
    public static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;

        TooLong(int most) {
            super("it answers more than " + most + " bytes");
        }
    }

    private final Supplier<@Nullable Place> place;
    private final Limits limits;
    private final HttpClient client;

    public Upstream(Vertx vertx, Supplier<@Nullable Place> place, Limits limits) {
        this.place = place;
        this.limits = limits;
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setConnectTimeout((int) limits.millis()).setDecompressionSupported(true),
                new PoolOptions().setHttp1MaxSize(limits.connections()).setMaxWaitQueueSize(limits.waiting()));
    }

    /** Whether there is one at all. */
    public boolean isThere() {
        return place.get() != null;
    }

    /** @param path of its API, below {@code /api/v1/} */
    public Future<Answer> ask(HttpMethod method, String path, List<Map.Entry<String, String>> form) {
        Place at = place.get();
        if (at == null) {
            return Future.failedFuture(new ConnectException("there is no Prometheus"));
        }
        String written = form.stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        boolean post = method.equals(HttpMethod.POST);
        RequestOptions options = options(at)
                .setMethod(method)
                .setURI(Optional.ofNullable(at.address().getPath()).orElse("").replaceAll("/+$", "") + "/api/v1/" + path
                        + (post || written.isEmpty() ? "" : "?" + written));
        if (post) {
            options.putHeader("Content-Type", "application/x-www-form-urlencoded");
        }
        return client.request(options)
                .compose(request -> (post ? request.send(Buffer.buffer(written)) : request.send()).compose(this::whole))
                .timeout(limits.millis(), TimeUnit.MILLISECONDS);
    }

    private RequestOptions options(Place at) {
        boolean tls = "https".equals(at.address().getScheme());
        int port = at.address().getPort();
        var options = new RequestOptions()
                .setHost(at.address().getHost())
                .setPort(port > 0 ? port : tls ? 443 : 80)
                .setSsl(tls)
                .setTimeout(limits.millis());
        if (at.authorization() != null) {
            options.putHeader("Authorization", at.authorization());
        }
        return options;
    }

    private Future<Answer> whole(HttpClientResponse response) {
        String type = Optional.ofNullable(response.getHeader("Content-Type")).orElse("");
        return body(response, limits.bytes()).map(body -> new Answer(response.statusCode(), type, body));
    }

    /** One that never ends is hung up on. To be called as the answer begins, on its own thread: later its end may be past. */
    public static Future<Buffer> body(HttpClientResponse response, int most) {
        Promise<Buffer> whole = Promise.promise();
        Buffer body = Buffer.buffer();
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(body));
        response.handler(piece -> {
            if (body.length() + piece.length() <= most) {
                body.appendBuffer(piece);
            } else if (whole.tryFail(new TooLong(most))) {
                response.request().reset();
            }
        });
        return whole.future();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    public Future<Void> close() {
        return client.close();
    }
}
