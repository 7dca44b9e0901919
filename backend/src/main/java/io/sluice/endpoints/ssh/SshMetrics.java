package io.sluice.endpoints.ssh;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of SSH. */
final class SshMetrics {
    final Gauge connections;
    final Counter refused;
    final Counter keys;
    final Counter ended;
    final Gauge channels;
    final Counter channelsRefused;
    final Counter bytes;

    /** @param prefix of their names */
    SshMetrics(CollectorRegistry registry, String prefix) {
        connections = Gauge.build(prefix + "_connections", "SSH connections, by whether somebody has been let in")
                .labelNames("state")
                .register(registry);
        refused = Counter.build(prefix + "_refused_total", "SSH connections that were refused, by the limit")
                .labelNames("limit")
                .register(registry);
        keys = Counter.build(prefix + "_keys_total", "Keys that were shown, by whether they are let in")
                .labelNames("result")
                .register(registry);
        ended = Counter.build(prefix + "_ended_total", "SSH connections of guests that ended, by why")
                .labelNames("reason")
                .register(registry);
        channels = Gauge.build(prefix + "_channels", "What is open through SSH, by kind")
                .labelNames("kind")
                .register(registry);
        channelsRefused = Counter.build(prefix + "_channels_refused_total", "What was not opened, by why")
                .labelNames("reason")
                .register(registry);
        bytes = Counter.build(prefix + "_bytes_total", "Bytes that went through SSH, by direction")
                .labelNames("direction")
                .register(registry);
    }
}
