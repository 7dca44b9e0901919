package io.sluice.telemetry.door;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted at the door. */
final class DoorMetrics {
    private final Counter answers;
    private final Gauge open;
    private final Counter unasked;

    DoorMetrics(CollectorRegistry registry) {
        answers = Counter.build(
                        "sluice_telemetry_door_answers_total", "Questions that Grafana asked, by how they ended")
                .labelNames("end")
                .register(registry);
        unasked = Counter.build(
                        "sluice_telemetry_door_unasked_total",
                        "Questions of Grafana that Prometheus was not asked, as it had not answered the last ones")
                .register(registry);
        open = Gauge.build("sluice_telemetry_door_open", "Questions of Grafana that are being answered")
                .register(registry);
    }

    void answered(int status) {
        answers.labels(
                        status < 300
                                ? "answered"
                                : switch (status) {
                                    case 401 -> "stranger";
                                    case 403, 404 -> "refused";
                                    case 429 -> "busy";
                                    case 400, 422 -> "wrong";
                                    default -> "failed";
                                })
                .inc();
    }

    /** Prometheus was not asked, since it has not answered lately. */
    void refused() {
        unasked.inc();
    }

    void open(int more) {
        open.inc(more);
    }
}
