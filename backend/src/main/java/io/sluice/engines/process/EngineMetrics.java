package io.sluice.engines.process;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What this room counts. */
final class EngineMetrics {

    private final Counter starts;
    private final Counter ends;
    private final Counter refused;
    private final Counter faults;
    private final Counter trials;
    private final Gauge calls;
    private final Gauge running;
    private final Gauge execs;
    private final Histogram startSeconds;

    EngineMetrics(CollectorRegistry registry) {
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
        trials = Counter.build("sluice_engine_trials_total", "Ways to keep tasks apart, tried at the start, by result")
                .labelNames("result")
                .register(registry);
        calls = Gauge.build("sluice_engine_calls", "Calls that wait for, or are on, the engine's worker")
                .register(registry);
        running = Gauge.build("sluice_engine_running", "Runs that are not known to be over")
                .register(registry);
        execs = Gauge.build("sluice_engine_execs", "Programs that the gateway runs inside of tasks")
                .register(registry);
        startSeconds = Histogram.build("sluice_engine_start_seconds", "From the call to a supervisor that runs")
                .buckets(.002, .005, .01, .02, .03, .05, .1, .25, 1, 5)
                .register(registry);
    }

    void started(String result, long nanos) {
        starts.labels(result).inc();
        startSeconds.observe(nanos / 1e9);
    }

    void tried(String result) {
        trials.labels(result).inc();
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

    void calls(int now) {
        calls.set(now);
    }

    void execs(int now) {
        execs.set(now);
    }

    void running(int now) {
        running.set(now);
    }
}
