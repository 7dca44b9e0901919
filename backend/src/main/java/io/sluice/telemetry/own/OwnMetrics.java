package io.sluice.telemetry.own;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of the Prometheus that the gateway runs. */
final class OwnMetrics {
    private final Gauge up;
    private final Counter ends;

    OwnMetrics(CollectorRegistry registry) {
        up = Gauge.build("sluice_telemetry_own_prometheus_up", "1 while the gateway's own Prometheus answers")
                .register(registry);
        ends = Counter.build("sluice_telemetry_own_prometheus_ends_total", "Times that it ended and was not asked to")
                .register(registry);
    }

    void up(boolean is) {
        up.set(is ? 1 : 0);
    }

    void ended() {
        ends.inc();
    }
}
