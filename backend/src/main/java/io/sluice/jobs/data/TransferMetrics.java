package io.sluice.jobs.data;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;
import io.sluice.jobs.protocol.data.Data;
import java.util.List;
import java.util.Locale;

/** What is counted of data on its way. */
final class TransferMetrics {
    private final Gauge underWay;
    private final Gauge waiting;
    private final Gauge turns;
    private final Gauge remembered;
    private final Counter again;
    private final Counter ended;
    private final Counter inputs;
    private final Counter bytes;

    TransferMetrics(CollectorRegistry registry) {
        underWay = Gauge.build(
                        "sluice_data_errands", "Attempts whose data is being moved, or waits for its turn, by way")
                .labelNames("way")
                .register(registry);
        waiting = Gauge.build("sluice_data_waiting", "Attempts whose data waits for its turn, by way")
                .labelNames("way")
                .register(registry);
        turns = Gauge.build(
                        "sluice_data_repositories_waiting",
                        "Repositories that wait to be unpacked or read, one after the other")
                .register(registry);
        remembered = Gauge.build(
                        "sluice_data_remembered_files",
                        "Files of outputs of which it is remembered that a store has them")
                .register(registry);
        again = Counter.build("sluice_data_tries_again_total", "Steps that failed and were tried again")
                .register(registry);
        ended = Counter.build("sluice_data_ended_total", "Attempts whose data was moved, by way and how it ended")
                .labelNames("way", "end")
                .register(registry);
        inputs = Counter.build("sluice_data_inputs_total", "Inputs of attempts, by source and how far they came")
                .labelNames("source", "end")
                .register(registry);
        bytes = Counter.build("sluice_data_input_bytes_total", "Bytes of inputs that tasks have found, by source")
                .labelNames("source")
                .register(registry);
    }

    /** What inputs have come to, by where they come from. */
    void inputs(List<Transfer> all) {
        for (Transfer one : all) {
            String source = new Data.Named(one.name(), one.address()).source();
            inputs.labels(source, one.state().name().toLowerCase(Locale.ROOT)).inc();
            bytes.labels(source).inc((double) one.bytes());
        }
    }

    void began(String way) {
        underWay.labels(way).inc();
        waiting.labels(way).inc();
    }

    void atWork(String way) {
        waiting.labels(way).dec();
    }

    void turn(int more) {
        turns.inc(more);
    }

    void remembered(long files) {
        remembered.set((double) files);
    }

    void ended(String way, Errand.Stage how) {
        underWay.labels(way).dec();
        ended.labels(way, how.name().toLowerCase(Locale.ROOT)).inc();
    }

    void again() {
        again.inc();
    }
}
