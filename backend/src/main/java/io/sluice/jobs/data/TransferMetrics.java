package io.sluice.jobs.data;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of data on its way. */
final class TransferMetrics {
    private final Gauge underWay;
    private final Counter again;
    private final Counter ended;

    TransferMetrics(CollectorRegistry registry) {
        underWay = Gauge.build(
                        "sluice_data_errands", "Attempts whose data is being moved, or waits for its turn, by way")
                .labelNames("way")
                .register(registry);
        again = Counter.build("sluice_data_tries_again_total", "Steps that failed and were tried again")
                .register(registry);
        ended = Counter.build("sluice_data_ended_total", "Attempts whose data was moved, by way and how it ended")
                .labelNames("way", "end")
                .register(registry);
    }

    void began(String way) {
        underWay.labels(way).inc();
    }

    void ended(String way, Errand.Stage how) {
        underWay.labels(way).dec();
        ended.labels(way, how.name().toLowerCase(java.util.Locale.ROOT)).inc();
    }

    void again() {
        again.inc();
    }
}
