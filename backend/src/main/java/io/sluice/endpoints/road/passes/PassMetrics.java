package io.sluice.endpoints.road.passes;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;

/** What is counted of tickets and passes. */
final class PassMetrics {
    private final Counter entered;
    private final Counter cut;

    PassMetrics(CollectorRegistry registry) {
        entered = Counter.build("sluice_endpoints_tickets_total", "Tickets shown, by what came of them")
                .labelNames("result")
                .register(registry);
        cut = Counter.build(
                        "sluice_endpoints_passes_cut_total",
                        "Passes that ended because of a sign-out, a lost right or their age")
                .register(registry);
    }

    void entered(String result) {
        entered.labels(result).inc();
    }

    void cut() {
        cut.inc();
    }
}
