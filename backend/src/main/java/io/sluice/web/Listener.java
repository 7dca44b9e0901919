package io.sluice.web;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpContentCompressor;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One HTTP server on one event loop, with its connections counted and its certificate kept current. */
final class Listener extends VerticleBase {
    private static final System.Logger LOG = System.getLogger(Listener.class.getName());
    private static final int HEADER_BYTES = 16 << 10;
    private static final int LINE_BYTES = 8 << 10;
    private static final long NEIGHBOUR_IDLE_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final Web.Settings settings;
    private final Web.Metrics metrics;
    private final Web.Neighbour neighbour;
    private final Edge edge;
    private final Map<HttpConnection, Visit> visits = new HashMap<>();
    private @Nullable HttpServer server;
    private long certificateTime;

    /** A connection's story, which tells a slow sender of headers from a reader who thinks. */
    private static final class Visit implements Web.Stay {
        int requests;
        boolean greeted;
        boolean refused;
        long quietSince = System.nanoTime();

        @Override
        public void begins() {
            greeted = true;
            requests++;
        }

        @Override
        public void ends() {
            requests--;
            quietSince = System.nanoTime();
        }
    }

    Listener(Web.Settings settings, Web.Metrics metrics, Web.Neighbour neighbour, Edge edge) {
        this.settings = settings;
        this.metrics = metrics;
        this.neighbour = neighbour;
        this.edge = edge;
    }

    @Override
    public Future<?> start() throws IOException {
        var router = edge.router();
        router.route().order(-1).handler(this::follow);
        HttpServer started = vertx.createHttpServer(options())
                .connectionHandler(this::welcome)
                .invalidRequestHandler(this::refuseMalformed)
                .requestHandler(request -> {
                    // CONNECT, OPTIONS * and a whole URL are words to a proxy, which this is not
                    if (!String.valueOf(request.uri()).startsWith("/")) {
                        refuseMalformed(request);
                    } else if (neighbour.owns(request)) {
                        leave(request);
                    } else if (request.authority() == null && request.version() != HttpVersion.HTTP_1_0) {
                        // the router would fail before anything of ours has seen it
                        refuseMalformed(request);
                    } else {
                        router.handle(request);
                    }
                });
        server = started;
        vertx.setPeriodic(1_000, tick -> closeIdle());
        if (settings.tls()) {
            vertx.setPeriodic(2_000, tick -> reloadCertificate());
        }
        return started.listen();
    }

    int port() {
        HttpServer started = server;
        return started == null ? settings.port() : started.actualPort();
    }

    Future<Void> close() {
        HttpServer started = server;
        return started == null ? Future.succeededFuture() : started.shutdown(2, TimeUnit.SECONDS);
    }

    private HttpServerOptions options() throws IOException {
        var options = new HttpServerOptions()
                .setHost(settings.host())
                .setPort(settings.port())
                .setHttp2ClearTextEnabled(false)
                .setIdleTimeout(settings.idleSeconds())
                .setMaxHeaderSize(HEADER_BYTES)
                .setMaxInitialLineLength(LINE_BYTES)
                .setMaxFormAttributeSize(0)
                .setCompressionSupported(true)
                .setCompressionLevel(4)
                // inflated, a message may be a thousand times what the frame limit lets pass
                .setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(64 << 10)
                .setMaxWebSocketMessageSize(64 << 10)
                .setWebSocketSubProtocols(edge.subprotocols());
        Path certificate = settings.certificate();
        Path key = settings.key();
        if (certificate != null && key != null) {
            options.setSsl(true).setUseAlpn(true).setKeyCertOptions(pem(certificate, key));
            certificateTime = changed(certificate, key);
        }
        return options;
    }

    private void welcome(HttpConnection connection) {
        String address = connection.remoteAddress().hostAddress();
        long sameAddress = visits.keySet().stream()
                .filter(other -> address.equals(other.remoteAddress().hostAddress()))
                .limit(settings.connectionsPerAddress())
                .count();
        if (visits.size() >= settings.connections() || sameAddress >= settings.connectionsPerAddress()) {
            metrics.refused.labels("connections").inc();
            Edge.end(connection.close());
            return;
        }
        var visit = new Visit();
        visits.put(connection, visit);
        metrics.connections.inc();
        neighbour.welcome(connection, visit);
        // the connection's own handler is not called any more once it has become a WebSocket
        ((HttpServerConnection) connection)
                .channelHandlerContext()
                .channel()
                .closeFuture()
                .addListener(closed -> {
                    if (visits.remove(connection) != null) {
                        metrics.connections.dec();
                    }
                });
    }

    /** What follows nonsense on a connection is nonsense too: one answer, then silence. */
    private void refuseMalformed(HttpServerRequest request) {
        Visit visit = visits.get(request.connection());
        if (visit == null || visit.refused) {
            Edge.end(request.connection().close());
            return;
        }
        visit.refused = true;
        edge.refuseMalformed(request);
    }

    private void follow(RoutingContext context) {
        Visit visit = visits.get(context.request().connection());
        if (visit != null) {
            visit.begins();
            // the context's, which takes the place of the response's own
            context.addEndHandler(ended -> visit.ends());
        }
        context.next();
    }

    /** What a neighbour answers is sent as it is, and may be silent for long. */
    private void leave(HttpServerRequest request) {
        if (request.connection() instanceof HttpServerConnection connection
                && request.version() != HttpVersion.HTTP_2) {
            var pipeline = connection.channelHandlerContext().pipeline();
            if (pipeline.get(HttpContentCompressor.class) != null) {
                pipeline.remove(HttpContentCompressor.class);
            }
            patient(pipeline, NEIGHBOUR_IDLE_MILLIS);
        }
        Visit visit = visits.get(request.connection());
        if (visit != null) {
            visit.begins();
        }
        neighbour.handle(request, edge).onComplete(over -> {
            if (visit != null) {
                visit.ends();
            }
            if (over.failed()) {
                LOG.log(System.Logger.Level.WARNING, "event=neighbour-failed", over.cause());
                Edge.end(request.connection().close());
            }
        });
    }

    /** Next to the network: what a neighbour writes past Vert.x counts too. */
    static void patient(ChannelPipeline pipeline, long millis) {
        var idle = pipeline.get(IdleStateHandler.class);
        if (idle != null && idle.getAllIdleTimeInMillis() != millis) {
            pipeline.remove(idle);
            pipeline.addBefore("httpDecoder", "idle", new IdleStateHandler(0, 0, millis, TimeUnit.MILLISECONDS));
        }
    }

    /** A connection that sends a header byte by byte keeps its socket busy for ever: only whole requests count here. */
    private void closeIdle() {
        long now = System.nanoTime();
        visits.entrySet().stream()
                .filter(entry -> entry.getValue().requests <= 0)
                .filter(entry -> now - entry.getValue().quietSince
                        > TimeUnit.SECONDS.toNanos(
                                entry.getValue().greeted ? settings.idleSeconds() : settings.headerSeconds()))
                .map(Map.Entry::getKey)
                .toList()
                .forEach(connection -> {
                    metrics.refused.labels("idle").inc();
                    Edge.end(connection.close());
                });
    }

    private void reloadCertificate() {
        Path certificate = settings.certificate();
        Path key = settings.key();
        HttpServer started = server;
        if (certificate == null || key == null || started == null) {
            return;
        }
        vertx.executeBlocking(() -> changed(certificate, key) == certificateTime ? null : pem(certificate, key))
                .compose(fresh -> {
                    if (fresh == null) {
                        return Future.succeededFuture(false);
                    }
                    certificateTime = changed(certificate, key);
                    return started.updateSSLOptions(
                            new ServerSSLOptions().setUseAlpn(true).setKeyCertOptions(fresh));
                })
                .onSuccess(reloaded -> {
                    if (reloaded) {
                        LOG.log(System.Logger.Level.INFO, "event=certificate-reloaded file={0}", certificate);
                    }
                })
                .onFailure(broken -> LOG.log(
                        System.Logger.Level.WARNING,
                        "event=certificate-not-reloaded file={0} cause={1} effect=the one before stays in use",
                        certificate,
                        broken.getMessage()));
    }

    /** By their content: options that name the same files would count as unchanged. */
    private static PemKeyCertOptions pem(Path certificate, Path key) throws IOException {
        return new PemKeyCertOptions()
                .setCertValue(Buffer.buffer(Files.readAllBytes(certificate)))
                .setKeyValue(Buffer.buffer(Files.readAllBytes(key)));
    }

    private static long changed(Path certificate, Path key) {
        return 31 * certificate.toFile().lastModified() + key.toFile().lastModified();
    }
}
