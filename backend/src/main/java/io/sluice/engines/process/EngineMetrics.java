package io.sluice.engines.process;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.sluice.engines.RunMetrics;

/** What this room counts. */
final class EngineMetrics extends RunMetrics {

    private final Counter refused;
    private final Counter trials;
    private final Gauge calls;
    private final Gauge execs;
    private final Gauge adopting;

    EngineMetrics(CollectorRegistry registry) {
        super(registry, "a supervisor that runs", .002, .005, .01, .02, .03, .05, .1, .25, 1, 5);
        refused = Counter.build(
                        "sluice_engine_refused_calls_total", "Calls turned away because too many waited already")
                .register(registry);
        trials = Counter.build("sluice_engine_trials_total", "Ways to keep tasks apart, tried at the start, by result")
                .labelNames("result")
                .register(registry);
        calls = Gauge.build("sluice_engine_calls", "Calls that wait for, or are on, the engine's worker")
                .register(registry);
        execs = Gauge.build("sluice_engine_execs", "Programs that the gateway runs inside of tasks")
                .register(registry);
        adopting = Gauge.build(
                        "sluice_engine_adopting", "Runs of an earlier gateway that this one has not taken over yet")
                .register(registry);
    }

    void adopting(int left) {
        adopting.set(left);
    }

    void tried(String result) {
        trials.labels(result).inc();
    }

    void refused() {
        refused.inc();
    }

    void calls(int now) {
        calls.set(now);
    }

    void execs(int now) {
        execs.set(now);
    }
}
