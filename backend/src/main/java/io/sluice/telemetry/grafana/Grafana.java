package io.sluice.telemetry.grafana;

import io.prometheus.client.CollectorRegistry;
import io.sluice.telemetry.history.Upstream;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The door to Grafana: its address here, and whether it is well. */
public final class Grafana {
    /** Here and there: Grafana serves below the same path ({@code serve_from_sub_path}). */
    static final String PATH = "/grafana/";

    private static final int AT_ONCE = 32;
    private static final int WAITING = 256;
    private static final int ANSWER_MILLIS = 25_000;
    private static final int HEALTH_MILLIS = 2_000;
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_HEALTH = 64 << 10;

    private final @Nullable URI address;
    private final HttpClient client;
    private final GrafanaMetrics metrics;
    private final GrafanaRoutes routes;
    private @Nullable Future<Boolean> asked;
    private long askedAt;

    /** @param address null: there is none */
    public Grafana(Vertx vertx, @Nullable URI address, CollectorRegistry registry) {
        this.address = address;
        this.client = vertx.createHttpClient(
                new HttpClientOptions().setConnectTimeout(HEALTH_MILLIS),
                new PoolOptions().setHttp1MaxSize(AT_ONCE).setMaxWaitQueueSize(WAITING));
        this.metrics = new GrafanaMetrics(registry);
        this.routes = new GrafanaRoutes(vertx, this, client, metrics);
    }

    public boolean isThere() {
        return address != null;
    }

    public List<Route> routes() {
        return routes.routes();
    }

    /** Whether it says so itself; who asks while others do gets the same answer. */
    public synchronized Future<Boolean> isWell() {
        Future<Boolean> last = asked;
        if (last != null && System.nanoTime() - askedAt < FRESH_NANOS) {
            return last;
        }
        askedAt = System.nanoTime();
        Future<Boolean> next = address == null ? Future.succeededFuture(false) : health();
        asked = next;
        return next;
    }

    private Future<Boolean> health() {
        return client.request(request(HttpMethod.GET, PATH + "api/health"))
                .compose(out -> out.send()
                        .compose(answer -> Upstream.body(answer, MOST_HEALTH)
                                .map(body -> answer.statusCode() == 200
                                        && "ok".equals(new JsonObject(body).getString("database")))))
                .timeout(HEALTH_MILLIS, TimeUnit.MILLISECONDS)
                .otherwise(false)
                .onSuccess(metrics::well);
    }

    RequestOptions request(HttpMethod method, String uri) {
        URI at = Objects.requireNonNull(address);
        boolean tls = "https".equals(at.getScheme());
        return new RequestOptions()
                .setMethod(method)
                .setHost(at.getHost())
                .setPort(at.getPort() > 0 ? at.getPort() : tls ? 443 : 80)
                .setSsl(tls)
                .setURI(uri)
                .setTimeout(ANSWER_MILLIS);
    }

    public Future<Void> close() {
        return Future.join(client.close(), routes.close()).mapEmpty();
    }
}
