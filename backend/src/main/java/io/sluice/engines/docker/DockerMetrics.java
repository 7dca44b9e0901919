package io.sluice.engines.docker;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What this room counts. */
final class DockerMetrics {

    private final Counter starts;
    private final Counter ends;
    private final Counter refused;
    private final Counter faults;
    private final Counter pulls;
    private final Counter pulledBytes;
    private final Gauge calls;
    private final Gauge running;
    private final Gauge pulling;
    private final Gauge away;
    private final Histogram startSeconds;
    private final Histogram callSeconds;

    DockerMetrics(CollectorRegistry registry) {
        starts = Counter.build("sluice_engine_starts_total", "Starts asked for, by what came of them")
                .labelNames("result")
                .register(registry);
        ends = Counter.build("sluice_engine_ends_total", "Runs seen to be over, by state")
                .labelNames("state")
                .register(registry);
        refused = Counter.build(
                        "sluice_engine_refused_calls_total", "Calls turned away because too many waited already")
                .register(registry);
        faults = Counter.build("sluice_engine_faults_total", "Faults of background work, by what it was")
                .labelNames("work")
                .register(registry);
        pulls = Counter.build("sluice_docker_pulls_total", "Images fetched, by result")
                .labelNames("result")
                .register(registry);
        pulledBytes = Counter.build("sluice_docker_pulled_bytes_total", "Bytes of images fetched")
                .register(registry);
        calls = Gauge.build("sluice_engine_calls", "Calls that wait for, or are on, the engine")
                .register(registry);
        running = Gauge.build("sluice_engine_running", "Runs that are not known to be over")
                .register(registry);
        pulling = Gauge.build("sluice_docker_pulling", "Images being fetched, or waiting for that")
                .register(registry);
        away = Gauge.build("sluice_docker_away", "1 while the Docker engine does not answer")
                .register(registry);
        startSeconds = Histogram.build("sluice_engine_start_seconds", "From the call to a container that runs")
                .buckets(.1, .2, .3, .5, 1, 2, 5, 10, 30)
                .register(registry);
        callSeconds = Histogram.build("sluice_docker_call_seconds", "Calls of the Docker engine, by what and result")
                .labelNames("call", "result")
                .buckets(.002, .01, .05, .2, 1, 5, 30)
                .register(registry);
    }

    void started(String result, long nanos) {
        starts.labels(result).inc();
        startSeconds.observe(nanos / 1e9);
    }

    void called(String call, String result, long nanos) {
        callSeconds.labels(call, result).observe(nanos / 1e9);
    }

    void ended(String state) {
        ends.labels(state).inc();
    }

    void refused() {
        refused.inc();
    }

    void fault(String work) {
        faults.labels(work).inc();
    }

    void pulled(String result, long bytes) {
        pulls.labels(result).inc();
        pulledBytes.inc((double) bytes);
    }

    void calls(int now) {
        calls.set(now);
    }

    void running(int now) {
        running.set(now);
    }

    void pulling(int now) {
        pulling.set(now);
    }

    void away(boolean now) {
        away.set(now ? 1 : 0);
    }
}
