package io.sluice.engines.docker;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Gauge;
import io.sluice.engines.RunMetrics;

/** What this room counts. */
final class DockerMetrics extends RunMetrics {

    private final Gauge away;
    private final Gauge fenced;
    private final Gauge execs;

    DockerMetrics(CollectorRegistry registry) {
        super(registry, "a container that runs", .1, .2, .3, .5, 1, 2, 5, 10, 30);
        away = Gauge.build("sluice_docker_away", "1 while the Docker engine does not answer")
                .register(registry);
        fenced = Gauge.build(
                        "sluice_docker_fenced", "1 while a firewall keeps tasks from what the engine's machine offers")
                .register(registry);
        execs = Gauge.build("sluice_engine_execs", "Programs that the gateway runs inside of tasks, at most 128")
                .register(registry);
    }

    void fenced(boolean now) {
        fenced.set(now ? 1 : 0);
    }

    void execs(int now) {
        execs.set(now);
    }

    void away(boolean now) {
        away.set(now ? 1 : 0);
    }
}
