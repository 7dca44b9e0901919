package io.sluice.endpoints.road;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import java.util.List;
import java.util.stream.IntStream;

/** What is counted on the road. */
final class RoadMetrics {
    /** By the first digit of the status. */
    private final List<Counter.Child> answered;

    private final Counter refused;
    private final Counter shortened;
    private final Gauge tunnels;
    private final Gauge exchanges;

    RoadMetrics(CollectorRegistry registry) {
        Counter requests = Counter.build(
                        "sluice_endpoints_requests_total", "Requests that an app answered, by class of status")
                .labelNames("status")
                .register(registry);
        answered = IntStream.rangeClosed(1, 5)
                .mapToObj(digit -> requests.labels(Integer.toString(digit)))
                .toList();
        refused = Counter.build("sluice_endpoints_refused_total", "Requests that no app saw, by reason")
                .labelNames("reason")
                .register(registry);
        shortened = Counter.build(
                        "sluice_endpoints_shortcuts_total",
                        "Requests that an app was asked without Vert.x hearing of them")
                .register(registry);
        tunnels = Gauge.build("sluice_endpoints_tunnels", "Open WebSockets to apps")
                .register(registry);
        exchanges = Gauge.build("sluice_endpoints_exchanges", "Requests that an app is answering")
                .register(registry);
    }

    void answered(int status) {
        answered.get(status / 100 - 1).inc();
    }

    void refused(String reason) {
        refused.labels(reason).inc();
    }

    void shortened() {
        shortened.inc();
    }

    void tunnels(int count) {
        tunnels.inc(count);
    }

    void exchanges(int count) {
        exchanges.inc(count);
    }
}
