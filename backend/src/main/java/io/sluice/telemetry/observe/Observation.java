package io.sluice.telemetry.observe;

import io.sluice.engines.Device;
import io.sluice.engines.Node;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.tasks.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything as it was at one instant. Immutable.
 *
 * @param former by process, the run that had it and is over
 */
public record Observation(
        Instant at,
        List<Node> nodes,
        List<Seen> devices,
        List<Doing> tasks,
        List<Known.Vendor> vendors,
        Map<Long, String> former) {
    public static final Observation NOTHING =
            new Observation(Instant.EPOCH, List.of(), List.of(), List.of(), List.of());

    public Observation {
        nodes = List.copyOf(nodes);
        devices = List.copyOf(devices);
        tasks = List.copyOf(tasks);
        vendors = List.copyOf(vendors);
        former = Map.copyOf(former);
    }

    public Observation(
            Instant at, List<Node> nodes, List<Seen> devices, List<Doing> tasks, List<Known.Vendor> vendors) {
        this(at, nodes, devices, tasks, vendors, Map.of());
    }

    /**
     * A device of the inventory.
     *
     * @param reading what was told of it last, null: nothing yet
     * @param current whether the reading is of now; an older one has no values
     * @param holder who has it, null: nobody
     */
    public record Seen(
            String node,
            Device device,
            @Nullable Reading reading,
            boolean current,
            @Nullable Holder holder) {
        /** NaN where it is not known now. */
        public double value(Metric metric) {
            return reading == null || !current ? Double.NaN : reading.values().of(metric);
        }

        public String key() {
            return node + "/" + device.id();
        }
    }

    /**
     * A task that holds a place.
     *
     * @param usage null: it runs elsewhere, or has not begun
     * @param busy whether it has used the processor lately
     */
    public record Doing(Holder holder, @Nullable Usage usage, Rates rates, boolean busy) {}

    /** What a task takes, by the second. NaN is not known. */
    public record Rates(
            double cpuCores, double memoryBytes, double received, double sent, double read, double written) {
        public static final Rates NONE =
                new Rates(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }

    public List<Seen> heldBy(long task) {
        return devices.stream()
                .filter(device -> device.holder() != null && device.holder().task() == task)
                .toList();
    }

    public Map<Long, Doing> byTask() {
        return tasks.stream()
                .collect(Collectors.toMap(doing -> doing.holder().task(), Function.identity(), (a, b) -> a));
    }
}
