package io.sluice.telemetry.exposition;

import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.util.HashSet;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Writes an observation as Prometheus reads it. */
final class Families {
    private Families() {}

    static void write(Round round) {
        devices(round);
        about(round);
        holders(round);
        tasks(round);
        collectors(round);
    }

    /** What most of it is: the families that every device has a line of. */
    static void devices(Round round) {
        for (Metric metric : Metric.values()) {
            round.devices(metric.family(), "gauge", metric.help(), OfDevice::plain, one -> one.value(metric));
        }
        round.devices(
                "accelerator_out_of_service",
                "gauge",
                "1 for a device on which nothing is started, because something is wrong with it",
                OfDevice::plain,
                one -> one.device().fault() == null ? 0 : 1);
        round.devices("accelerator_processes", "gauge", "Processes on the device", OfDevice::plain, one -> {
            Reading reading = one.reading();
            return reading == null || !one.current() || reading.occupants() == null
                    ? Double.NaN
                    : reading.occupants().size();
        });
        round.devices(
                "accelerator_throttled",
                "gauge",
                "1 while heat or power holds the device back",
                OfDevice::plain,
                one -> {
                    Reading reading = one.reading();
                    return reading == null || !one.current() || reading.slowed() == null
                            ? Double.NaN
                            : reading.slowed() ? 1 : 0;
                });
        round.devices(
                "accelerator_memory_errors_uncorrected_total",
                "counter",
                "Memory errors that were not corrected since the driver was loaded",
                OfDevice::plain,
                one -> {
                    Reading reading = one.reading();
                    return reading == null || !one.current() || reading.uncorrected() == null
                            ? Double.NaN
                            : (double) reading.uncorrected();
                });
    }

    private static void about(Round round) {
        round.devices("accelerator_info", "gauge", "What a device is", OfDevice::info, one -> 1);
        byte[] name = round.name("accelerator_health_state");
        List<Seen> all = round.seen().devices();
        for (int at = 0; at < all.size(); at++) {
            if (at == 0) {
                round.head("accelerator_health_state", "gauge", "1 for the state that its tool tells");
            }
            Reading reading = all.get(at).reading();
            Reading.Health health =
                    reading == null || !all.get(at).current() ? Reading.Health.UNKNOWN : reading.health();
            round.line(name, round.device(at).health(health), 1);
        }
    }

    private static void holders(Round round) {
        round.held(
                "accelerator_assignment", "1 for a device and the task that holds it", OfDevice::assignment, one -> 1);
        var jobs = new HashSet<Long>();
        round.tasks(
                "job_info",
                "gauge",
                "What a job that holds a place is",
                OfTask::job,
                doing -> jobs.add(doing.holder().job()) ? 1 : Double.NaN);
    }

    private static void tasks(Round round) {
        task(
                round,
                "sluice_task_cpu_seconds_total",
                "counter",
                "Processor time that a task has used",
                Usage::cpuSeconds);
        task(round, "sluice_task_memory_bytes", "gauge", "Memory that a task has", Usage::memoryBytes);
        task(
                round,
                "sluice_task_network_receive_bytes_total",
                "counter",
                "Bytes that a task has received",
                Usage::receivedBytes);
        task(
                round,
                "sluice_task_network_transmit_bytes_total",
                "counter",
                "Bytes that a task has sent",
                Usage::sentBytes);
        task(
                round,
                "sluice_task_disk_read_bytes_total",
                "counter",
                "Bytes that a task has read from disks",
                Usage::readBytes);
        task(
                round,
                "sluice_task_disk_written_bytes_total",
                "counter",
                "Bytes that a task has written to disks",
                Usage::writtenBytes);
    }

    private static void task(Round round, String name, String type, String help, ToDoubleFunction<Usage> value) {
        round.tasks(
                name,
                type,
                help,
                OfTask::plain,
                doing -> doing.usage() == null ? Double.NaN : value.applyAsDouble(doing.usage()));
    }

    private static void collectors(Round round) {
        String node = round.seen().nodes().isEmpty()
                ? ""
                : round.seen().nodes().getFirst().name();
        collector(
                round,
                node,
                "accelerator_collector_up",
                "1 if the last round of the vendor's tool told anything",
                vendor -> vendor.up() ? 1 : 0);
        collector(
                round,
                node,
                "accelerator_collector_last_success_timestamp_seconds",
                "When a round told anything last",
                vendor -> vendor.success() == null
                        ? Double.NaN
                        : (double) vendor.success().toEpochMilli() / 1000);
        collector(
                round,
                node,
                "accelerator_collector_duration_seconds",
                "Time that the last round took",
                Known.Vendor::seconds);
    }

    private static void collector(
            Round round, String node, String name, String help, ToDoubleFunction<Known.Vendor> value) {
        boolean begun = false;
        for (Known.Vendor vendor : round.seen().vendors()) {
            double number = value.applyAsDouble(vendor);
            if (!Double.isNaN(number)) {
                begun = begun || round.head(name, "gauge", help);
                round.line(round.name(name), Labels.encoded("node", node, "vendor", vendor.vendor()), number);
            }
        }
    }
}
