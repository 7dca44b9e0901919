package io.sluice.files.datasets;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;

/** What is counted of datasets. */
final class DatasetMetrics {
    private final Counter counted;

    DatasetMetrics(CollectorRegistry registry) {
        counted = Counter.build(
                        "sluice_datasets_counted_total", "Times that the files of a dataset were counted, by outcome")
                .labelNames("outcome")
                .register(registry);
    }

    void counted(boolean well) {
        counted.labels(well ? "counted" : "failed").inc();
    }
}
