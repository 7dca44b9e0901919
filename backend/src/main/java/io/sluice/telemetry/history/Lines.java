package io.sluice.telemetry.history;

import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is kept of a task as lines over time, and how they are named. */
public final class Lines {
    private Lines() {}

    /** Of a device. */
    public static final List<Metric> OF_DEVICES =
            List.of(Metric.UTILISATION, Metric.MEMORY_USED, Metric.POWER, Metric.TEMPERATURE, Metric.MEMORY_BANDWIDTH);

    /** Of a task. */
    public enum OfTask {
        CPU("cpu", "rate(sluice_task_cpu_seconds_total{%s}[%s])"),
        MEMORY("memory", "sluice_task_memory_bytes{%s}"),
        RECEIVED("network_received", "rate(sluice_task_network_receive_bytes_total{%s}[%s])"),
        SENT("network_sent", "rate(sluice_task_network_transmit_bytes_total{%s}[%s])"),
        READ("disk_read", "rate(sluice_task_disk_read_bytes_total{%s}[%s])"),
        WRITTEN("disk_written", "rate(sluice_task_disk_written_bytes_total{%s}[%s])");

        private final String key;
        private final String query;

        OfTask(String key, String query) {
            this.key = key;
            this.query = query;
        }

        public String key() {
            return key;
        }

        String query(String labels, String window) {
            return query.formatted(labels, window);
        }

        double of(Rates rates) {
            return switch (this) {
                case CPU -> rates.cpuCores();
                case MEMORY -> rates.memoryBytes();
                case RECEIVED -> rates.received();
                case SENT -> rates.sent();
                case READ -> rates.read();
                case WRITTEN -> rates.written();
            };
        }
    }

    /**
     * One line.
     *
     * @param metric as {@link Metric#key} and {@link OfTask#key} name them
     * @param device id of it, null: it is about the task itself
     */
    public record Line(String metric, @Nullable String device, int index, String type, boolean simulated) {
        static Line of(OfTask metric) {
            return new Line(metric.key(), null, 0, "", false);
        }

        static Line of(Metric metric, Device device) {
            return new Line(metric.key(), device.id(), device.index(), device.type(), device.simulated());
        }

        public boolean isOfDevice() {
            return device != null;
        }
    }

    static List<Line> of(List<Seen> devices) {
        var lines = new ArrayList<Line>();
        Stream.of(OfTask.values()).map(Line::of).forEach(lines::add);
        devices.forEach(seen -> OF_DEVICES.forEach(metric -> lines.add(Line.of(metric, seen.device()))));
        return lines;
    }

    static double value(Line line, Rates rates, List<Seen> devices) {
        if (!line.isOfDevice()) {
            return taskMetric(line.metric()).map(metric -> metric.of(rates)).orElse(Double.NaN);
        }
        Metric metric = deviceMetric(line.metric()).orElseThrow();
        return devices.stream()
                .filter(seen -> seen.device().id().equals(line.device()))
                .mapToDouble(seen -> seen.value(metric))
                .findFirst()
                .orElse(Double.NaN);
    }

    public static Optional<OfTask> taskMetric(String key) {
        return Stream.of(OfTask.values())
                .filter(metric -> metric.key().equals(key))
                .findFirst();
    }

    public static Optional<Metric> deviceMetric(String key) {
        return OF_DEVICES.stream().filter(metric -> metric.key().equals(key)).findFirst();
    }

    /** What selects a task in Prometheus; names are quoted, whatever they hold. */
    static String labels(Holder holder) {
        return "job_id=\"" + quoted(holder.key()) + "\",task_id=\"" + quoted(holder.taskKey()) + "\"";
    }

    static String quoted(String value) {
        return Objects.requireNonNull(value)
                .replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n");
    }
}
