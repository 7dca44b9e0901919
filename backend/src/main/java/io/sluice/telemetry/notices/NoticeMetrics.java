package io.sluice.telemetry.notices;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of telling. */
final class NoticeMetrics {
    private final Counter notices;
    private final Gauge waiting;
    private final Counter failures;

    NoticeMetrics(CollectorRegistry registry) {
        notices = Counter.build(
                        "sluice_telemetry_notices_total", "Tries to tell something outside, by what came of them")
                .labelNames("kind", "result")
                .register(registry);
        waiting = Gauge.build("sluice_telemetry_notices_waiting", "What is still to be told")
                .register(registry);
        failures = Counter.build("sluice_telemetry_notices_failures_total", "Looks at what is to be told that failed")
                .register(registry);
    }

    void told(String kind, String result) {
        notices.labels(kind, result).inc();
    }

    void waiting(long count) {
        waiting.set((double) count);
    }

    void failed() {
        failures.inc();
    }
}
