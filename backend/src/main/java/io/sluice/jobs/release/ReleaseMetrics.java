package io.sluice.jobs.release;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;

/** What is counted of devices that were given back. */
final class ReleaseMetrics {
    private final Gauge unchecked;

    ReleaseMetrics(CollectorRegistry registry) {
        unchecked = Gauge.build(
                        "sluice_jobs_devices_unchecked",
                        "Devices that were given back and are not given again before they are seen to be free of processes")
                .register(registry);
    }

    void unchecked(int devices) {
        unchecked.set(devices);
    }
}
