package io.sluice.engines.docker.images;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of images. */
final class ImageMetrics {

    private final Counter pulls;
    private final Counter pulledBytes;
    private final Gauge pulling;

    ImageMetrics(CollectorRegistry registry) {
        pulls = Counter.build("sluice_docker_pulls_total", "Images fetched, by result")
                .labelNames("result")
                .register(registry);
        pulledBytes = Counter.build("sluice_docker_pulled_bytes_total", "Bytes of images fetched")
                .register(registry);
        pulling = Gauge.build("sluice_docker_pulling", "Images being fetched, or waiting for that")
                .register(registry);
    }

    void pulled(String result, long bytes) {
        pulls.labels(result).inc();
        pulledBytes.inc((double) bytes);
    }

    void pulling(int now) {
        pulling.set(now);
    }
}
