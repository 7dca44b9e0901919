package io.sluice.files.centre;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.sluice.files.sending.Pieces;
import java.util.function.IntSupplier;

/** What is counted of the file centre. */
final class CentreMetrics {
    private final Gauge calls;
    private final Counter refused;
    private final Counter bytes;
    private final Counter purged;
    private final Counter counted;
    private final Gauge uploading;
    private final Counter unpacked;
    private final Gauge sending;
    private final Counter lessened;

    CentreMetrics(CollectorRegistry registry) {
        calls = Gauge.build("sluice_files_calls", "Pieces of file work that wait or run")
                .register(registry);
        refused = Counter.build("sluice_files_refused_total", "File work refused, by limit")
                .labelNames("limit")
                .register(registry);
        bytes = Counter.build("sluice_files_bytes_total", "Bytes of files that came and went")
                .labelNames("way")
                .register(registry);
        purged = Counter.build("sluice_files_purged_total", "Left uploads and deleted things that were removed by age")
                .register(registry);
        counted = Counter.build("sluice_files_counted_total", "Times that all of somebody's files were counted")
                .register(registry);
        unpacked = Counter.build("sluice_files_unpacked_total", "Archives that were unpacked, or why not")
                .labelNames("end")
                .register(registry);
        sending = Gauge.build("sluice_files_sending_bytes", "Memory of what is read of files and not yet sent")
                .register(registry);
        lessened = Counter.build(
                        "sluice_files_small_pieces_total",
                        "Pieces of files that were smaller than they could be, since much is sent at once")
                .register(registry);
        uploading = Gauge.build("sluice_files_uploading", "Connections that send a file")
                .register(registry);
    }

    void watch(IntSupplier open) {
        uploading.setChild(new Gauge.Child() {
            @Override
            public double get() {
                return open.getAsInt();
            }
        });
    }

    void watch(Pieces pieces) {
        sending.setChild(new Gauge.Child() {
            @Override
            public double get() {
                return pieces.taken();
            }
        });
    }

    void lessened() {
        lessened.inc();
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

    void sent(long count) {
        bytes.labels("out").inc((double) count);
    }

    void taken(long count) {
        bytes.labels("in").inc((double) count);
    }

    void counted() {
        counted.inc();
    }

    /** @param end why it was not; empty: it was */
    void unpacked(String end) {
        unpacked.labels(end.isEmpty() ? "done" : end).inc();
    }

    void purged(int count) {
        purged.inc(count);
    }
}
