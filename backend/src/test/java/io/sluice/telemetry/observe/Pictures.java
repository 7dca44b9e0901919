package io.sluice.telemetry.observe;

import io.sluice.engines.Device;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Values;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Observations for tests, of as many devices as are wanted. */
public final class Pictures {
    private Pictures() {}

    public static Holder holder(long task, String user, String name, List<String> devices) {
        return new Holder(
                task,
                task,
                user,
                name,
                "default",
                0,
                "main",
                0,
                0,
                "run-" + task,
                "n1",
                devices,
                1,
                100,
                Instant.EPOCH);
    }

    public static Seen device(String node, String id, int index, double load, @Nullable Holder holder) {
        var device = new Device(id, "H100", "nvidia", index, null, null, true, null);
        Values values = Values.NONE
                .with(Metric.UTILISATION, load)
                .with(Metric.MEMORY_USED, 1e9 + index)
                .with(Metric.MEMORY_TOTAL, 8.5e10)
                .with(Metric.POWER, 100.5 + index % 200)
                .with(Metric.TEMPERATURE, 40 + index % 30);
        var identity = new Reading.Identity("nvidia", id, index, "H100", null, null, null, false);
        return new Seen(node, device, Reading.of(identity, values), true, holder);
    }

    public static Observation at(Instant at, List<Seen> devices, List<Doing> tasks) {
        return new Observation(at, List.of(), devices, tasks, List.of());
    }

    public static Doing doing(Holder holder, double cpu) {
        var usage = new Usage(cpu, 1e8, Double.NaN, Double.NaN, 0, 0, Set.of());
        return new Doing(holder, usage, new Rates(0.5, 1e8, Double.NaN, Double.NaN, 0, 0), true);
    }

    public static Observation many(int devices) {
        var all = new ArrayList<Seen>();
        for (int at = 0; at < devices; at++) {
            all.add(device("node-" + at / 8, "GPU-00000000-0000-0000-0000-" + at, at % 8, at % 101 / 100.0, null));
        }
        return at(Instant.now(), all, List.of());
    }
}
