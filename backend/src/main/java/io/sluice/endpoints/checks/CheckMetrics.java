package io.sluice.endpoints.checks;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.sluice.endpoints.checks.Check.Hop;
import java.util.Optional;

/** What is counted of checks. */
final class CheckMetrics {
    private final Counter ended;

    CheckMetrics(CollectorRegistry registry) {
        ended = Counter.build(
                        "sluice_endpoints_checks_total",
                        "Checks of endpoints, by the hop that failed; none: all is well")
                .labelNames("hop")
                .register(registry);
    }

    void ended(Optional<Hop> failed) {
        ended.labels(failed.map(Hop::key).orElse("none")).inc();
    }
}
