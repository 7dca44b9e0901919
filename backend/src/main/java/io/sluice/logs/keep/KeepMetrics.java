package io.sluice.logs.keep;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of keeping. */
final class KeepMetrics {
    private final Counter removed;
    private final Counter packed;
    private final Gauge stored;
    private final Counter trouble;

    KeepMetrics(CollectorRegistry registry) {
        removed = Counter.build("sluice_logs_removed_total", "Logs deleted, by reason")
                .labelNames("reason")
                .register(registry);
        packed = Counter.build("sluice_logs_packed_total", "Logs compressed").register(registry);
        stored = Gauge.build("sluice_logs_stored_bytes", "What finished logs take of the disk")
                .register(registry);
        trouble = Counter.build("sluice_logs_trouble_total", "Logs cut at their limit, full disks, failures of keeping")
                .labelNames("what")
                .register(registry);
    }

    void removed(String reason) {
        removed.labels(reason).inc();
    }

    void packed() {
        packed.inc();
    }

    void stored(long bytes) {
        stored.set((double) bytes);
    }

    void trouble(String what) {
        trouble.labels(what).inc();
    }
}
