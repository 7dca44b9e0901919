package io.sluice.jobs.data.back;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;

/** What is counted of uploads that are given up. */
final class UploadMetrics {
    private final Counter ended;

    UploadMetrics(CollectorRegistry registry) {
        ended = Counter.build(
                        "sluice_data_uploads_given_up_total",
                        "Uploads in parts of jobs that are over, by whether the store has thrown their parts away")
                .labelNames("end")
                .register(registry);
    }

    void aborted() {
        ended.labels("aborted").inc();
    }

    void left() {
        ended.labels("left").inc();
    }
}
