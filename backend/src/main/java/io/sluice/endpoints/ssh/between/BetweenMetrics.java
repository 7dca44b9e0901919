package io.sluice.endpoints.ssh.between;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of tasks that reach one another. */
final class BetweenMetrics {
    final Gauge doors;
    final Gauge visits;
    final Counter refused;

    BetweenMetrics(CollectorRegistry registry) {
        doors = Gauge.build("sluice_ssh_doors", "Attempts of jobs whose tasks the gateway lets reach one another")
                .register(registry);
        visits = Gauge.build("sluice_ssh_visits", "Connections from one task of a job to another")
                .register(registry);
        refused = Counter.build(
                        "sluice_ssh_visits_refused_total", "Connections between tasks that were not led on, by why")
                .labelNames("reason")
                .register(registry);
    }
}
