package io.sluice.telemetry.history;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of remembering. */
final class HistoryMetrics {
    private final Gauge points;
    private final Gauge rows;
    private final Counter stored;
    private final Counter failures;
    private final Counter asked;
    private final Counter thinned;
    private final Gauge behind;

    HistoryMetrics(CollectorRegistry registry) {
        points = Gauge.build("sluice_telemetry_history_points", "Points of running tasks in memory")
                .register(registry);
        rows = Gauge.build("sluice_telemetry_history_rows_limit", "Rounds that are kept of each task, at most")
                .register(registry);
        stored = Counter.build("sluice_telemetry_summaries_stored_total", "Summaries written to the database")
                .register(registry);
        failures = Counter.build("sluice_telemetry_summaries_failed_total", "Summaries that could not be written")
                .register(registry);
        asked = Counter.build("sluice_telemetry_prometheus_queries_total", "Questions to Prometheus, by how they ended")
                .labelNames("end")
                .register(registry);
        thinned = Counter.build(
                        "sluice_telemetry_summaries_thinned_total", "Summaries of old tasks whose points were dropped")
                .register(registry);
        behind = Gauge.build(
                        "sluice_telemetry_summaries_waiting",
                        "Tasks that have ended and whose summary is not written yet")
                .register(registry);
    }

    void points(long count, int most) {
        points.set((double) count);
        rows.set(most);
    }

    void stored(boolean done) {
        (done ? stored : failures).inc();
    }

    void asked(String end) {
        asked.labels(end).inc();
    }

    void thinned(int rows) {
        thinned.inc(rows);
    }

    void behind(int tasks) {
        behind.set(tasks);
    }
}
