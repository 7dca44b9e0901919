package io.sluice.engines;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.prometheus.client.Histogram;

/** What is counted of runs, under the same names whichever engine runs them. */
public class RunMetrics {

    private final Counter starts;
    private final Counter ends;
    private final Counter faults;
    private final Gauge running;
    private final Histogram startSeconds;

    /** @param began what the start that is timed ends with, and the seconds that are told apart */
    protected RunMetrics(CollectorRegistry registry, String began, double... seconds) {
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
        startSeconds = Histogram.build("sluice_engine_start_seconds", "From the call to " + began)
                .buckets(seconds)
                .register(registry);
    }

    public final void started(String result, long nanos) {
        starts.labels(result).inc();
        startSeconds.observe(nanos / 1e9);
    }

    public final void ended(String state) {
        ends.labels(state).inc();
    }

    public final void fault(String work) {
        faults.labels(work).inc();
    }

    public final void running(int now) {
        running.set(now);
    }
}
