package io.sluice.engines.docker.networks;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import java.util.List;

/** What is counted of networks. */
final class NetworkMetrics {

    private final Gauge ready;
    private final Gauge open;
    private final Gauge holders;
    private final Counter given;

    NetworkMetrics(CollectorRegistry registry) {
        ready = Gauge.build("sluice_docker_networks_ready", "Networks that no task has yet, at most " + Ready.MOST)
                .register(registry);
        open = Gauge.build(
                        "sluice_docker_networks_open", "Of the networks that no task has yet, those that are held open")
                .register(registry);
        holders = Gauge.build(
                        "sluice_docker_holders",
                        "Containers that hold a network open for a task, at most " + Holders.MOST)
                .register(registry);
        given = Counter.build("sluice_docker_networks_given_total", "Networks given to tasks, by how they were found")
                .labelNames("how")
                .register(registry);
    }

    void ready(List<Held> now) {
        ready.set(now.size());
        open.set((double) now.stream().filter(held -> held.holder() != null).count());
    }

    void holders(int now) {
        holders.set(now);
    }

    /** @param how held open, ready, or still to be made */
    void given(String how) {
        given.labels(how).inc();
    }
}
