package io.sluice.telemetry.grafana;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted on the way to Grafana. */
final class GrafanaMetrics {
    private final Counter answers;
    private final Gauge sockets;
    private final Gauge well;

    GrafanaMetrics(CollectorRegistry registry) {
        answers = Counter.build("sluice_telemetry_grafana_answers_total", "Requests to Grafana, by what it answered")
                .labelNames("status")
                .register(registry);
        sockets = Gauge.build("sluice_telemetry_grafana_sockets", "WebSockets to Grafana that are open")
                .register(registry);
        well = Gauge.build("sluice_telemetry_grafana_well", "1 if Grafana said that it is well when it was asked last")
                .register(registry);
    }

    /** @param status 0: it did not answer */
    void answered(int status) {
        answers.labels(status == 0 ? "none" : status / 100 + "xx").inc();
    }

    void sockets(int more) {
        sockets.inc(more);
    }

    void well(boolean is) {
        well.set(is ? 1 : 0);
    }
}
