package io.sluice.telemetry.history;

import io.sluice.jobs.JobDetail;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.history.Lines.Line;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What tasks come to over their lives, so far. */
public record Summary(List<OfDevice> devices, List<OfTask> tasks) {
    /** So long a device does nothing before it is called idle. */
    private static final double LONG_SECONDS = 600;

    private static final double JOULES_PER_KWH = 3.6e6;

    public Summary {
        devices = List.copyOf(devices);
        tasks = List.copyOf(tasks);
    }

    /** NaN is not known. {@code idleSeconds} are all in which it did nothing, {@code idleNow} those up to now. */
    public record OfDevice(
            String role,
            int taskIndex,
            String node,
            String device,
            int index,
            String type,
            boolean simulated,
            double mean,
            double peak,
            double idleShare,
            double idleSeconds,
            double idleNow,
            double joules,
            double memoryPeak,
            double temperaturePeak) {}

    public record OfTask(
            String role, int index, double cpuSeconds, double cpuMean, double memoryPeak, double memoryMean) {}

    public static Summary of(List<JobDetail.Task> tasks, Collection<Kept> kept) {
        var devices = new ArrayList<OfDevice>();
        var all = new ArrayList<OfTask>();
        for (JobDetail.Task task : tasks) {
            for (Kept one : kept) {
                if (one.task() == task.id()) {
                    one.lines().stream()
                            .filter(line -> line.metric().equals(Metric.UTILISATION.key()))
                            .map(line -> device(task, one, line))
                            .forEach(devices::add);
                    all.add(new OfTask(
                            task.role(),
                            task.index(),
                            one.cpuSeconds(),
                            tally(one, Lines.OfTask.CPU.key(), null).mean(),
                            tally(one, Lines.OfTask.MEMORY.key(), null).peak(),
                            tally(one, Lines.OfTask.MEMORY.key(), null).mean()));
                }
            }
        }
        return new Summary(devices, all);
    }

    private static OfDevice device(JobDetail.Task task, Kept kept, Line line) {
        Tally load = tally(kept, line.metric(), line.device());
        Tally power = tally(kept, Metric.POWER.key(), line.device());
        return new OfDevice(
                task.role(),
                task.index(),
                task.node(),
                Objects.requireNonNull(line.device()),
                line.index(),
                line.type(),
                line.simulated(),
                load.mean(),
                load.peak(),
                load.seconds() == 0 ? Double.NaN : load.idleSeconds() / load.seconds(),
                load.idleSeconds(),
                load.idleNow(),
                power.seconds() == 0 ? Double.NaN : power.integral(),
                tally(kept, Metric.MEMORY_USED.key(), line.device()).peak(),
                tally(kept, Metric.TEMPERATURE.key(), line.device()).peak());
    }

    private static Tally tally(Kept kept, String metric, @Nullable String device) {
        for (int at = 0; at < kept.lines().size(); at++) {
            Line line = kept.lines().get(at);
            if (line.metric().equals(metric) && Objects.equals(line.device(), device)) {
                return kept.tally(at);
            }
        }
        return new Tally();
    }

    /** Those that have done nothing for long, up to now. */
    public List<OfDevice> idle() {
        return devices.stream()
                .filter(device -> device.idleNow() >= LONG_SECONDS)
                .toList();
    }

    /** NaN where no device tells. */
    public double kilowattHours() {
        double joules = devices.stream()
                .mapToDouble(OfDevice::joules)
                .filter(one -> !Double.isNaN(one))
                .sum();
        return devices.stream().allMatch(device -> Double.isNaN(device.joules()))
                ? Double.NaN
                : joules / JOULES_PER_KWH;
    }

    public double meanUtilisation() {
        return devices.stream()
                .mapToDouble(OfDevice::mean)
                .filter(one -> !Double.isNaN(one))
                .average()
                .orElse(Double.NaN);
    }

    public JsonObject toJson() {
        var all = new JsonArray();
        devices.forEach(device -> all.add(new JsonObject()
                .put("role", device.role())
                .put("taskIndex", device.taskIndex())
                .put("node", device.node())
                .put("device", device.device())
                .put("index", device.index())
                .put("type", device.type())
                .put("simulated", device.simulated())
                .put("utilizationMean", number(device.mean()))
                .put("utilizationPeak", number(device.peak()))
                .put("idleShare", number(device.idleShare()))
                .put("idleSeconds", number(device.idleSeconds()))
                .put("idleNowSeconds", number(device.idleNow()))
                .put("energyJoules", number(device.joules()))
                .put("memoryPeakBytes", number(device.memoryPeak()))
                .put("temperaturePeakCelsius", number(device.temperaturePeak()))));
        var some = new JsonArray();
        tasks.forEach(task -> some.add(new JsonObject()
                .put("role", task.role())
                .put("taskIndex", task.index())
                .put("cpuSeconds", number(task.cpuSeconds()))
                .put("cpuCoresMean", number(task.cpuMean()))
                .put("memoryPeakBytes", number(task.memoryPeak()))
                .put("memoryMeanBytes", number(task.memoryMean()))));
        return new JsonObject()
                .put("utilizationMean", number(meanUtilisation()))
                .put("energyKilowattHours", number(kilowattHours()))
                .put("idleDevices", idle().size())
                .put("devices", all)
                .put("tasks", some);
    }

    private static @Nullable Double number(double value) {
        return Double.isNaN(value) ? null : (Double) Series.round(value);
    }
}
