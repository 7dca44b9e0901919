package io.sluice.engines.docker;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What this room counts. */
final class DockerMetrics {

    private final Counter starts;
    private final Counter ends;
    private final Counter faults;
    private final Gauge running;
    private final Gauge away;
    private final Gauge networksReady;
    private final Histogram startSeconds;

    DockerMetrics(CollectorRegistry registry) {
        starts = Counter.build("sluice_engine_starts_total", "Starts asked for, by what came of them")
                .labelNames("result")
                .register(registry);
        ends = Counter.build("sluice_engine_ends_total", "Runs seen to be over, by state")
                .labelNames("state")
                .register(registry);
        faults = Counter.build("sluice_engine_faults_total", "Faults of background work, by what it was")
                .labelNames("work")
                .register(registry);
        running = Gauge.build("sluice_engine_running", "Runs that are not known to be over")
                .register(registry);
        away = Gauge.build("sluice_docker_away", "1 while the Docker engine does not answer")
                .register(registry);
        networksReady = Gauge.build("sluice_docker_networks_ready", "Networks that no task has yet, at most 2")
                .register(registry);
        startSeconds = Histogram.build("sluice_engine_start_seconds", "From the call to a container that runs")
                .buckets(.1, .2, .3, .5, 1, 2, 5, 10, 30)
                .register(registry);
    }

    void started(String result, long nanos) {
        starts.labels(result).inc();
        startSeconds.observe(nanos / 1e9);
    }

    void ended(String state) {
        ends.labels(state).inc();
    }

    void fault(String work) {
        faults.labels(work).inc();
    }

    void running(int now) {
        running.set(now);
    }

    void networksReady(int now) {
        networksReady.set(now);
    }

    void away(boolean now) {
        away.set(now ? 1 : 0);
    }
}
