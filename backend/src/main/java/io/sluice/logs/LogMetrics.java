package io.sluice.logs;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of logs, besides following. */
final class LogMetrics {
    private final Gauge calls;
    private final Counter refused;
    private final Counter searches;
    private final Counter searched;

    LogMetrics(CollectorRegistry registry) {
        calls = Gauge.build("sluice_logs_file_calls", "Pieces of file work that wait or run")
                .register(registry);
        refused = Counter.build("sluice_logs_refused_total", "Questions refused, by limit")
                .labelNames("limit")
                .register(registry);
        searches = Counter.build("sluice_logs_searches_total", "Searches, by how they ended")
                .labelNames("end")
                .register(registry);
        searched = Counter.build("sluice_logs_searched_bytes_total", "Bytes searched")
                .register(registry);
    }

    void began() {
        calls.inc();
    }

    void done() {
        calls.dec();
    }

    void refused(String limit) {
        refused.labels(limit).inc();
    }

    void searched(String end, long bytes) {
        searches.labels(end).inc();
        searched.inc((double) bytes);
    }
}
