package io.sluice.endpoints.road.lines;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;

/** What is counted of lines, of all apps together. */
public final class LinesMetrics {
    private final Gauge open;
    private final Gauge waiting;

    public LinesMetrics(CollectorRegistry registry) {
        open = Gauge.build("sluice_endpoints_lines", "Connections to apps that are open or being opened")
                .register(registry);
        waiting = Gauge.build("sluice_endpoints_lines_waiting", "Requests that wait for a connection to their app")
                .register(registry);
    }

    void open(int count) {
        open.inc(count);
    }

    void waiting(int count) {
        waiting.inc(count);
    }
}
