package io.sluice.logs.follow;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted of following. */
final class FollowMetrics {
    private final Gauge followers;
    private final Gauge tails;
    private final Counter read;
    private final Counter inStep;
    private final Counter catchUps;
    private final Counter skipped;

    FollowMetrics(CollectorRegistry registry) {
        followers = Gauge.build("sluice_logs_followers", "Open followers of logs, by how they came")
                .labelNames("kind")
                .register(registry);
        tails = Gauge.build("sluice_logs_tails", "Logs that somebody follows").register(registry);
        read = Counter.build("sluice_logs_tail_bytes_total", "Bytes that were added to followed logs")
                .register(registry);
        inStep = Counter.build(
                        "sluice_logs_in_step_bytes_total", "Bytes sent to followers from a frame made once for all")
                .register(registry);
        catchUps = Counter.build("sluice_logs_catch_up_reads_total", "Pieces read for one follower who was behind")
                .register(registry);
        skipped = Counter.build(
                        "sluice_logs_skipped_bytes_total", "Bytes that followers too far behind were moved past")
                .register(registry);
    }

    Gauge.Child followers(String kind) {
        return followers.labels(kind);
    }

    void tails(int count) {
        tails.set(count);
    }

    void read(long bytes) {
        read.inc((double) bytes);
    }

    void inStep(long bytes) {
        inStep.inc((double) bytes);
    }

    Counter catchUps() {
        return catchUps;
    }

    void skipped(long bytes) {
        skipped.inc((double) bytes);
    }
}
