package io.sluice.telemetry.door;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Gauge;

/** What is counted at the door. */
final class DoorMetrics {
    private final Counter answers;
    private final Gauge open;

    DoorMetrics(CollectorRegistry registry) {
        answers = Counter.build(
                        "sluice_telemetry_door_answers_total", "Questions that Grafana asked, by how they ended")
                .labelNames("end")
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

    void open(int more) {
        open.inc(more);
    }
}
