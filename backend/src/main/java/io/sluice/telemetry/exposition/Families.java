package io.sluice.telemetry.exposition;

import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Writes an observation as Prometheus reads it. Used by one thread at a time. */
final class Families {
    private final Labels labels = new Labels();

    /** Gives way to what {@link Legacy} writes, of the same round. */
    Labels labels() {
        return labels;
    }

    void write(Observation seen, Text out) {
        labels.next();
        devices(seen, out);
        about(seen, out);
        holders(seen, out);
        tasks(seen, out);
        collectors(seen, out);
    }

    /** What most of it is: the families that every device has a line of. */
    void writeDevices(Observation seen, Text out) {
        labels.next();
        devices(seen, out);
    }

    private void devices(Observation seen, Text out) {
        List<byte[]> of = new ArrayList<>(seen.devices().size());
        seen.devices().forEach(device -> of.add(device(device)));
        for (Metric metric : Metric.values()) {
            line(out, metric.family(), "gauge", metric.help(), seen.devices(), of, one -> one.value(metric));
        }
        line(
                out,
                "accelerator_out_of_service",
                "gauge",
                "1 for a device on which nothing is started, because something is wrong with it",
                seen.devices(),
                of,
                one -> one.device().fault() == null ? 0 : 1);
        line(out, "accelerator_processes", "gauge", "Processes on the device", seen.devices(), of, one -> {
            Reading reading = one.reading();
            return reading == null || !one.current() || reading.occupants() == null
                    ? Double.NaN
                    : reading.occupants().size();
        });
        line(
                out,
                "accelerator_throttled",
                "gauge",
                "1 while heat or power holds the device back",
                seen.devices(),
                of,
                one -> {
                    Reading reading = one.reading();
                    return reading == null || !one.current() || reading.slowed() == null
                            ? Double.NaN
                            : reading.slowed() ? 1 : 0;
                });
        line(
                out,
                "accelerator_memory_errors_uncorrected_total",
                "counter",
                "Memory errors that were not corrected since the driver was loaded",
                seen.devices(),
                of,
                one -> {
                    Reading reading = one.reading();
                    return reading == null || !one.current() || reading.uncorrected() == null
                            ? Double.NaN
                            : (double) reading.uncorrected();
                });
    }

    private byte[] device(Seen seen) {
        return labels.of(seen.key(), () ->
                new String[] {"node", seen.node(), "device", seen.device().id()});
    }

    private void about(Observation seen, Text out) {
        family(out, "accelerator_info", "gauge", "What a device is", seen.devices(), this::info, one -> 1);
        family(
                out,
                "accelerator_health_state",
                "gauge",
                "1 for the state that its tool tells",
                seen.devices(),
                this::health,
                one -> 1);
    }

    private byte[] info(Seen seen) {
        Device device = seen.device();
        Reading reading = seen.reading();
        String bus = reading == null || reading.identity().bus() == null
                ? ""
                : reading.identity().bus();
        String driver = reading == null || reading.identity().driver() == null
                ? ""
                : reading.identity().driver();
        String parent = reading == null || reading.identity().parent() == null
                ? ""
                : reading.identity().parent();
        return labels.of("info " + seen.key() + device.index() + driver, () -> new String[] {
            "node", seen.node(),
            "device", device.id(),
            "vendor", device.vendor(),
            "model", device.type(),
            "index", Integer.toString(device.index()),
            "pci_bus_id", bus,
            "driver_version", driver,
            "parent", parent,
            "simulated", Boolean.toString(device.simulated())
        });
    }

    private byte[] health(Seen seen) {
        String state = seen.reading() == null || !seen.current()
                ? "unknown"
                : seen.reading().health().name().toLowerCase(Locale.ROOT);
        return labels.of(state + " " + seen.key(), () ->
                new String[] {"node", seen.node(), "device", seen.device().id(), "state", state});
    }

    private void holders(Observation seen, Text out) {
        List<Seen> held = seen.devices().stream()
                .filter(device -> device.holder() != null)
                .toList();
        family(
                out,
                "accelerator_assignment",
                "gauge",
                "1 for a device and the task that holds it",
                held,
                one -> {
                    Holder holder = java.util.Objects.requireNonNull(one.holder());
                    return labels.of("held " + one.key() + holder.task(), () -> new String[] {
                        "node",
                        one.node(),
                        "device",
                        one.device().id(),
                        "job_id",
                        holder.key(),
                        "task_id",
                        holder.taskKey()
                    });
                },
                one -> 1);
        List<Holder> jobs = seen.tasks().stream()
                .map(Doing::holder)
                .collect(java.util.stream.Collectors.toMap(
                        Holder::job, holder -> holder, (a, b) -> a, java.util.LinkedHashMap::new))
                .values()
                .stream()
                .toList();
        family(
                out,
                "job_info",
                "gauge",
                "What a job that holds a place is",
                jobs,
                holder -> labels.of("job " + holder.job(), () -> new String[] {
                    "job_id",
                    holder.key(),
                    "job_name",
                    holder.name(),
                    "user",
                    holder.user(),
                    "virtual_cluster",
                    holder.cluster()
                }),
                one -> 1);
    }

    private void tasks(Observation seen, Text out) {
        task(
                out,
                seen,
                "sluice_task_cpu_seconds_total",
                "counter",
                "Processor time that a task has used",
                Usage::cpuSeconds);
        task(out, seen, "sluice_task_memory_bytes", "gauge", "Memory that a task has", Usage::memoryBytes);
        task(
                out,
                seen,
                "sluice_task_network_receive_bytes_total",
                "counter",
                "Bytes that a task has received",
                Usage::receivedBytes);
        task(
                out,
                seen,
                "sluice_task_network_transmit_bytes_total",
                "counter",
                "Bytes that a task has sent",
                Usage::sentBytes);
        task(
                out,
                seen,
                "sluice_task_disk_read_bytes_total",
                "counter",
                "Bytes that a task has read from disks",
                Usage::readBytes);
        task(
                out,
                seen,
                "sluice_task_disk_written_bytes_total",
                "counter",
                "Bytes that a task has written to disks",
                Usage::writtenBytes);
    }

    private void task(
            Text out, Observation seen, String name, String type, String help, ToDoubleFunction<Usage> value) {
        family(
                out,
                name,
                type,
                help,
                seen.tasks(),
                this::task,
                doing -> doing.usage() == null ? Double.NaN : value.applyAsDouble(doing.usage()));
    }

    private byte[] task(Doing doing) {
        Holder holder = doing.holder();
        return labels.of("task " + holder.task(), () ->
                new String[] {"node", holder.node(), "job_id", holder.key(), "task_id", holder.taskKey()});
    }

    private void collectors(Observation seen, Text out) {
        String node = seen.nodes().isEmpty() ? "" : seen.nodes().getFirst().name();
        java.util.function.Function<Known.Vendor, byte[]> of = vendor -> labels.of(
                "vendor " + vendor.vendor() + node, () -> new String[] {"node", node, "vendor", vendor.vendor()});
        family(
                out,
                "accelerator_collector_up",
                "gauge",
                "1 if the last round of the vendor's tool told anything",
                seen.vendors(),
                of,
                vendor -> vendor.up() ? 1 : 0);
        family(
                out,
                "accelerator_collector_last_success_timestamp_seconds",
                "gauge",
                "When a round told anything last",
                seen.vendors(),
                of,
                vendor -> vendor.success() == null
                        ? Double.NaN
                        : (double) vendor.success().toEpochMilli() / 1000);
        family(
                out,
                "accelerator_collector_duration_seconds",
                "gauge",
                "Time that the last round took",
                seen.vendors(),
                of,
                Known.Vendor::seconds);
    }

    static <T> void family(
            Text out,
            String name,
            String type,
            String help,
            List<T> all,
            java.util.function.Function<T, byte[]> labels,
            ToDoubleFunction<T> value) {
        byte[] encoded = ascii(name);
        boolean begun = false;
        for (T one : all) {
            double number = value.applyAsDouble(one);
            if (!Double.isNaN(number)) {
                if (!begun) {
                    head(out, name, type, help);
                    begun = true;
                }
                out.add(encoded);
                out.add(labels.apply(one));
                out.add(number);
                out.add((byte) '\n');
            }
        }
    }

    /** The same where the labels are there already, one for each. */
    private static void line(
            Text out,
            String name,
            String type,
            String help,
            List<Seen> all,
            List<byte[]> labels,
            ToDoubleFunction<Seen> value) {
        byte[] encoded = ascii(name);
        boolean begun = false;
        for (int at = 0; at < labels.size(); at++) {
            double number = value.applyAsDouble(all.get(at));
            if (!Double.isNaN(number)) {
                if (!begun) {
                    head(out, name, type, help);
                    begun = true;
                }
                out.add(encoded);
                out.add(labels.get(at));
                out.add(number);
                out.add((byte) '\n');
            }
        }
    }

    private static void head(Text out, String name, String type, String help) {
        out.add(ascii("# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n"));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
