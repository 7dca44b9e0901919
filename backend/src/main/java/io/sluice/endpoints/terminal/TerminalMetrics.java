package io.sluice.endpoints.terminal;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of terminals. */
final class TerminalMetrics {
    private final Gauge open;
    private final Gauge watched;
    private final Counter ended;
    private final Counter refused;

    TerminalMetrics(CollectorRegistry registry) {
        open = Gauge.build("sluice_terminals", "Terminals that are open, watched or not")
                .register(registry);
        watched = Gauge.build("sluice_terminals_watched", "Terminals that a browser shows")
                .register(registry);
        ended = Counter.build("sluice_terminals_ended_total", "Terminals that ended, by why")
                .labelNames("reason")
                .register(registry);
        refused = Counter.build("sluice_terminals_refused_total", "Terminals that were not opened, by why")
                .labelNames("reason")
                .register(registry);
    }

    void opened() {
        open.inc();
    }

    void ended(String reason) {
        open.dec();
        ended.labels(reason).inc();
    }

    void refused(String reason) {
        refused.labels(reason).inc();
    }

    void watched(int change) {
        watched.inc(change);
    }
}
