package io.sluice.web;

import io.prometheus.client.CollectorRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A running edge over routes of a test's own, where the session cookie simply names the caller. */
final class Portal implements AutoCloseable {
    final Vertx vertx = Vertx.vertx();
    final CollectorRegistry registry = new CollectorRegistry();
    final AtomicInteger authenticated = new AtomicInteger();
    final Set<String> revoked = ConcurrentHashMap.newKeySet();
    final Web web;
    final WebClient client;
    final int port;
    final String origin;

    Portal(Path logs, UnaryOperator<Web.Settings> settings, Function<Web, List<Route>> routes) {
        var wanted = settings.apply(Web.Settings.of("127.0.0.1", 0, logs));
        web = new Web(vertx, wanted, new ByName(), (failure, reading) -> null, registry);
        List<Route> all = new ArrayList<>(web.routes(() -> Future.succeededFuture()));
        all.addAll(routes.apply(web));
        origin = await(web.serve(all));
        port = URI.create(origin).getPort();
        client = WebClient.create(
                vertx,
                new WebClientOptions(new HttpClientOptions()
                                .setDefaultHost("127.0.0.1")
                                .setDefaultPort(port)
                                .setSsl(wanted.tls())
                                .setUseAlpn(wanted.tls())
                                .setProtocolVersion(wanted.tls() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1)
                                .setTrustAll(true)
                                .setVerifyHost(false))
                        .setFollowRedirects(false));
    }

    HttpResponse<Buffer> get(String path, String... headers) {
        var request = client.get(path);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return await(request.send());
    }

    HttpResponse<Buffer> post(String path, String body, String... headers) {
        var request = client.post(path);
        for (int i = 0; i < headers.length; i += 2) {
            request.putHeader(headers[i], headers[i + 1]);
        }
        return await(request.sendBuffer(Buffer.buffer(body)));
    }

    Socket socket() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port);
    }

    /** Bytes as they are, and everything that comes back until the other side closes or falls silent. */
    String raw(String bytes) throws IOException {
        try (Socket socket = socket()) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(15, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e.getCause() == null ? e : e.getCause());
        }
    }

    @Override
    public void close() {
        await(web.close());
        await(vertx.close());
    }

    private final class ByName implements Authenticator {
        @Override
        public Future<Verdict> authenticate(Credentials shown) {
            authenticated.incrementAndGet();
            String name = shown.session();
            return Future.succeededFuture(
                    name == null || name.isEmpty()
                            ? Verdict.NOBODY
                            : Verdict.of(new Caller(
                                    name.hashCode(),
                                    name,
                                    name.equals("root"),
                                    Caller.Kind.SESSION,
                                    name,
                                    Caller.EVERYTHING)));
        }

        @Override
        public Future<Boolean> stillValid(Caller caller) {
            return Future.succeededFuture(!revoked.contains(caller.name()));
        }
    }
}
