package io.sluice.engines.docker.images;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of tasks that are kept as images. */
final class SavingMetrics {

    private final Counter saves;
    private final Gauge saving;

    SavingMetrics(CollectorRegistry registry) {
        saves = Counter.build("sluice_docker_saves_total", "Tasks kept as images, by result")
                .labelNames("result")
                .register(registry);
        saving = Gauge.build("sluice_docker_saving", "Tasks being kept as images, at most 2")
                .register(registry);
    }

    void saved(String result) {
        saves.labels(result).inc();
    }

    void saving(int change) {
        saving.inc(change);
    }
}
