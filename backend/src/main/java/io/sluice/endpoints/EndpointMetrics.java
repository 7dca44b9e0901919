package io.sluice.endpoints;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of endpoints, besides the road. */
final class EndpointMetrics {
    private final Counter became;
    private final Counter faults;
    private final Counter looks;
    private final Gauge live;

    EndpointMetrics(CollectorRegistry registry) {
        became = Counter.build("sluice_endpoints_became_total", "Changes of endpoints, by what they became")
                .labelNames("state")
                .register(registry);
        faults = Counter.build(
                        "sluice_endpoints_faults_total",
                        "Steps of an endpoint's keeping that failed and are tried again")
                .register(registry);
        looks = Counter.build("sluice_endpoints_looks_total", "Looks at how all endpoints stand and how they should")
                .register(registry);
        live = Gauge.build("sluice_endpoints_live", "Endpoints of jobs that are not over")
                .register(registry);
    }

    void became(String state) {
        became.labels(state).inc();
    }

    void fault() {
        faults.inc();
    }

    void look() {
        looks.inc();
    }

    void live(int count) {
        live.set(count);
    }
}
