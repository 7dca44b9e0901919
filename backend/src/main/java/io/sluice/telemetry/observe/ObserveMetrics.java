package io.sluice.telemetry.observe;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;

/** What is counted of observing. */
final class ObserveMetrics {
    private final Counter failures;
    private final Histogram rounds;

    ObserveMetrics(CollectorRegistry registry) {
        failures = Counter.build("sluice_telemetry_step_failures_total", "Steps of a round that failed, by step")
                .labelNames("step")
                .register(registry);
        rounds = Histogram.build("sluice_telemetry_round_seconds", "Time of a round of observing")
                .buckets(.001, .005, .01, .025, .05, .1, .25, 1, 5)
                .register(registry);
    }

    void failed(String step) {
        failures.labels(step).inc();
    }

    void round(long nanos) {
        rounds.observe(nanos / 1e9);
    }
}
