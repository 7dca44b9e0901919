package io.sluice.telemetry.history;

import io.sluice.engines.Device;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is kept of a task as lines over time, and how they are named. */
public final class Lines {
    private Lines() {}

    /** Of a device. */
    public static final List<Metric> OF_DEVICES =
            List.of(Metric.UTILISATION, Metric.MEMORY_USED, Metric.POWER, Metric.TEMPERATURE, Metric.MEMORY_BANDWIDTH);

    /** Two samples are needed for a rate, of a Prometheus that reads once a minute, too. */
    private static final long LEAST_WINDOW = 150_000;

    /** Of a Prometheus that reads once a minute there is a sample in it. */
    private static final long LONG_STEP = 60_000;

    /** Of a task. */
    public enum OfTask {
        CPU("cpu", "sluice_task_cpu_seconds_total", true),
        MEMORY("memory", "sluice_task_memory_bytes", false),
        RECEIVED("network_received", "sluice_task_network_receive_bytes_total", true),
        SENT("network_sent", "sluice_task_network_transmit_bytes_total", true),
        READ("disk_read", "sluice_task_disk_read_bytes_total", true),
        WRITTEN("disk_written", "sluice_task_disk_written_bytes_total", true);

        private final String key;
        private final String family;
        private final boolean counted;

        OfTask(String key, String family, boolean counted) {
            this.key = key;
            this.family = family;
            this.counted = counted;
        }

        public String key() {
            return key;
        }

        /** Of the tasks that these labels select. */
        String query(String select, long step) {
            String series = family + "{" + select + "}";
            String told = counted
                    ? "rate(" + series + "[" + seconds(Math.max(step, LEAST_WINDOW)) + "])"
                    : over(series, step);
            return "max by (task_id) (" + told + ")";
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

    /**
     * Of devices by their nodes: whose they are is known here, and Prometheus need not find it out for each moment of the time. What two gateways tell
     * alike is told once.
     */
    static String query(Metric metric, Map<String, Set<String>> devices, long step) {
        return devices.entrySet().stream()
                .map(node -> over(
                        metric.family() + "{node=\"" + quoted(node.getKey()) + "\",device=~\""
                                + quoted(any(node.getValue())) + "\"}",
                        step))
                .collect(Collectors.joining(" or ", "max by (node, device) (", ")"));
    }

    /** The mean over each step: one moment of a long one would draw what repeats faster as something else. */
    static String over(String series, long step) {
        return isLong(step) ? "avg_over_time(" + series + "[" + seconds(step) + "])" : series;
    }

    /** Whether what is told at the end of a step is about all of it. */
    static boolean isLong(long step) {
        return step >= LONG_STEP;
    }

    private static String seconds(long millis) {
        return (millis + 999) / 1000 + "s";
    }

    /** What selects tasks in Prometheus; names are quoted, whatever they hold. */
    static String selecting(String job, Collection<String> tasks) {
        return "job_id=\"" + quoted(job) + "\",task_id=~\"" + quoted(any(tasks)) + "\"";
    }

    private static String any(Collection<String> names) {
        return names.stream().map(Lines::literally).collect(Collectors.joining("|"));
    }

    /** In an expression that a name is compared with. */
    private static String literally(String name) {
        return name.replaceAll("[^A-Za-z0-9_-]", "\\\\$0");
    }

    static String quoted(String value) {
        return Objects.requireNonNull(value)
                .replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("\n", "\\n");
    }
}
