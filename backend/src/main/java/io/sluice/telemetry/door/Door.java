package io.sluice.telemetry.door;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.Jobs;
import io.sluice.telemetry.history.Upstream;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The gateway's own address of Prometheus, for Grafana's data source. Why it is made so is told in {@code docs/decisions/grafana.md}. */
public final class Door {
    /** Apart from the built-in charts' road, so that neither of the two waits for the other. */
    private static final Upstream.Limits LIMITS = new Upstream.Limits(8, 256, 10_000, 32 << 20);

    private final Upstream upstream;
    private final DoorRoutes routes;

    /**
     * @param secret that Grafana shows; null: the door is closed
     * @param viewers who has a name, where the account is open
     */
    public Door(
            Vertx vertx,
            Jobs jobs,
            Supplier<Upstream.@Nullable Place> prometheus,
            @Nullable String secret,
            Function<String, Future<Optional<Viewer>>> viewers,
            CollectorRegistry registry) {
        this.upstream = new Upstream(vertx, prometheus, LIMITS);
        var metrics = new DoorMetrics(registry);
        this.routes = new DoorRoutes(secret, viewers, jobs, new Asking(upstream, System::nanoTime, metrics), metrics);
    }

    public List<Route> routes() {
        return routes.routes();
    }

    public Future<Void> close() {
        return upstream.close();
    }
}
