package io.sluice.identity;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a browser does: keeps cookies, says where a form comes from, and stays at a redirect so that a test can look at it. */
public final class Browser {
    private final Vertx vertx;
    private final WebClient client;
    private final String address;
    public final Map<String, String> cookies = new TreeMap<>();
    public final MultiMap headers = MultiMap.caseInsensitiveMultiMap();

    Browser(Vertx vertx, WebClient client, String address) {
        this.vertx = vertx;
        this.client = client;
        this.address = address;
    }

    /** The connections that all browsers of a gateway share. */
    static WebClient client(Vertx vertx) {
        return WebClient.create(
                vertx,
                new WebClientOptions().setFollowRedirects(false).setUserAgent("Firefox/140.0 (X11; Linux)"),
                new PoolOptions().setHttp1MaxSize(64));
    }

    public Browser signIn(String name, String password) {
        var answer = post("/sign-in", Map.of("name", name, "password", password));
        if (answer.statusCode() != 303) {
            throw new IllegalStateException("not signed in: " + answer.statusCode() + " " + answer.bodyAsString());
        }
        return this;
    }

    public HttpResponse<Buffer> get(String path) {
        return send(HttpMethod.GET, path, null, null).await();
    }

    public HttpResponse<Buffer> post(String path, Map<String, String> form) {
        return postLater(path, form).await();
    }

    Future<HttpResponse<Buffer>> postLater(String path, Map<String, String> form) {
        String body = form.entrySet().stream()
                .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
                .collect(Collectors.joining("&"));
        return send(HttpMethod.POST, path, "application/x-www-form-urlencoded", Buffer.buffer(body));
    }

    public HttpResponse<Buffer> json(HttpMethod method, String path, JsonObject body) {
        return send(method, path, "application/json", body.toBuffer()).await();
    }

    public Future<HttpResponse<Buffer>> send(
            HttpMethod method, String path, @Nullable String type, @Nullable Buffer body) {
        HttpRequest<Buffer> request = client.requestAbs(method, address + path).putHeaders(shown());
        if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
            request.putHeader("Origin", address);
        }
        if (type != null) {
            request.putHeader("Content-Type", type);
        }
        return (body == null ? request.send() : request.sendBuffer(body)).onSuccess(answer -> keep(answer.cookies()));
    }

    /** Listens before it connects, so that no word is lost. */
    public Future<WebSocket> follow(String path, Handler<String> told) {
        return vertx.createWebSocketClient()
                .webSocket()
                .textMessageHandler(told)
                .connect(new WebSocketConnectOptions()
                        .setAbsoluteURI(address.replace("http", "ws") + path)
                        .setHeaders(shown().set("Origin", address))
                        .setSubProtocols(List.of("sluice.live.v1")));
    }

    String cookie(String name) {
        return Objects.requireNonNull(cookies.get(name), name);
    }

    /** A second window of the same browser. */
    Browser copy() {
        var copy = new Browser(vertx, client, address);
        copy.cookies.putAll(cookies);
        copy.headers.addAll(headers);
        return copy;
    }

    Browser at(Gateway other) {
        var moved = new Browser(vertx, client, other.address());
        moved.cookies.putAll(cookies);
        moved.headers.addAll(headers);
        return moved;
    }

    private MultiMap shown() {
        var all = MultiMap.caseInsensitiveMultiMap().addAll(headers);
        if (!cookies.isEmpty()) {
            all.set(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        return all;
    }

    synchronized void keep(List<String> set) {
        for (String cookie : set) {
            String[] parts = cookie.split(";", 2);
            int equals = parts[0].indexOf('=');
            String value = parts[0].substring(equals + 1);
            if (value.isEmpty()) {
                cookies.remove(parts[0].substring(0, equals));
            } else {
                cookies.put(parts[0].substring(0, equals), value);
            }
        }
    }

    private static String encoded(String text) {
        return java.net.URLEncoder.encode(text, java.nio.charset.StandardCharsets.UTF_8);
    }
}
