package io.sluice.engines.docker.wire;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What is counted of the calls. */
final class WireMetrics {

    private final Counter refused;
    private final Gauge calls;
    private final Histogram callSeconds;

    WireMetrics(CollectorRegistry registry) {
        refused = Counter.build(
                        "sluice_engine_refused_calls_total", "Calls turned away because too many waited already")
                .register(registry);
        calls = Gauge.build("sluice_engine_calls", "Calls that wait for, or are on, the engine")
                .register(registry);
        callSeconds = Histogram.build("sluice_docker_call_seconds", "Calls of the Docker engine, by what and result")
                .labelNames("call", "result")
                .buckets(.002, .01, .05, .2, 1, 5, 30)
                .register(registry);
    }

    void called(String call, String result, long nanos) {
        callSeconds.labels(call, result).observe(nanos / 1e9);
    }

    void refused() {
        refused.inc();
    }

    void calls(int now) {
        calls.set(now);
    }
}
