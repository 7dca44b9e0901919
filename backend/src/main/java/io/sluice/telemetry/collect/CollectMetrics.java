package io.sluice.telemetry.collect;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;

/** What is counted of collecting. Reasons and fields are few and known beforehand. */
final class CollectMetrics {
    private final Counter errors;
    private final Counter absent;
    private final Counter rounds;

    CollectMetrics(CollectorRegistry registry) {
        errors = Counter.build(
                        "accelerator_collector_errors_total", "Rounds that told less than they should, by reason")
                .labelNames("vendor", "reason")
                .register(registry);
        absent = Counter.build(
                        "accelerator_collector_values_skipped_total", "Values that a tool had no number for, by field")
                .labelNames("vendor", "field")
                .register(registry);
        rounds = Counter.build("accelerator_collector_rounds_total", "Rounds of asking a tool")
                .labelNames("vendor")
                .register(registry);
    }

    void round(String vendor, Told told) {
        rounds.labels(vendor).inc();
        told.absent().forEach((field, count) -> absent.labels(vendor, field).inc(count));
        told.troubles().forEach(trouble -> trouble(vendor, trouble));
    }

    void trouble(String vendor, Trouble trouble) {
        errors.labels(vendor, trouble.reason().key()).inc();
    }
}
