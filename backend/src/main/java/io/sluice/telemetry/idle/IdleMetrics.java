package io.sluice.telemetry.idle;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of idle jobs. */
final class IdleMetrics {
    private final Gauge jobs;
    private final Counter done;
    private final Counter failures;

    IdleMetrics(CollectorRegistry registry) {
        jobs = Gauge.build("sluice_telemetry_idle_jobs", "Jobs under a rule for idle devices, by how they stand")
                .labelNames("state")
                .register(registry);
        done = Counter.build("sluice_telemetry_idle_total", "What was done because devices were idle, by what")
                .labelNames("what")
                .register(registry);
        failures = Counter.build("sluice_telemetry_idle_failures_total", "Looks at idle jobs that failed")
                .register(registry);
    }

    void stand(long watched, long warned, long kept) {
        jobs.labels("watched").set((double) watched);
        jobs.labels("warned").set((double) warned);
        jobs.labels("kept").set((double) kept);
    }

    void done(String what) {
        done.labels(what).inc();
    }

    void failed() {
        failures.inc();
    }
}
