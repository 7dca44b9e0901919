package io.sluice.telemetry.collect;

import io.sluice.engines.Device;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Values;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a device that does not exist would do for the job that holds it: it loads a model, works in steps, stops for checkpoints, gets warm, and is
 * idle once the job does nothing any more. The same task sees the same curve.
 */
public final class Simulator {
    private static final double GIB = 1L << 30;
    private static final double ROOM = 31;
    private static final double IDLE_POWER = 0.16;
    private static final double LOADING_SECONDS = 20;
    private static final double THERMAL_SECONDS = 45;

    /** @param busy whether the task has done anything lately */
    public record Work(long task, Instant since, boolean busy) {}

    private record Model(double gib, double watts) {}

    private final Map<String, Double> temperatures = new HashMap<>();
    private @Nullable Instant last;

    /** @param work by device, of those that somebody holds */
    public Map<String, Reading> look(List<Device> devices, Map<String, Work> work, Instant now) {
        double passed = last == null
                ? THERMAL_SECONDS
                : Math.clamp((double) Duration.between(last, now).toMillis() / 1000, 0, 600);
        last = now;
        var readings = new HashMap<String, Reading>();
        for (Device device : devices) {
            if (device.simulated()) {
                readings.put(device.id(), reading(device, work.get(device.id()), now, passed));
            }
        }
        temperatures.keySet().retainAll(readings.keySet());
        return readings;
    }

    private Reading reading(Device device, @Nullable Work work, Instant now, double passed) {
        Model model = model(device.type());
        double seconds = work == null
                ? 0
                : Math.max(0, (double) Duration.between(work.since(), now).toMillis() / 1000);
        double load = work == null ? 0 : work.busy() ? load(work.task(), device.index(), seconds) : 0;
        double filled = work == null ? 0.006 : memory(work.task(), seconds);
        double watts = model.watts()
                * (IDLE_POWER + (1 - IDLE_POWER) * 0.92 * load + noise(device.index(), now.getEpochSecond()) * 0.012);
        double aim = ROOM + 46 * watts / model.watts() + device.index() % 4;
        double warm = temperatures.merge(
                device.id(), aim, (before, to) -> to + (before - to) * Math.exp(-passed / THERMAL_SECONDS));
        Values values = Values.NONE
                .with(Metric.UTILISATION, Math.round(load * 100) / 100.0)
                .with(Metric.MEMORY_TOTAL, model.gib() * GIB)
                .with(Metric.MEMORY_USED, Math.rint(filled * model.gib() * 1024) * (1 << 20))
                .with(Metric.MEMORY_BANDWIDTH, Math.round(load * 62) / 100.0)
                .with(Metric.POWER, Math.rint(Math.max(0, watts) * 10) / 10)
                .with(Metric.POWER_LIMIT, model.watts())
                .with(Metric.TEMPERATURE, Math.rint(warm));
        var identity =
                new Identity(device.vendor(), device.id(), device.index(), device.type(), null, null, null, false);
        return Reading.of(identity, values).health(Health.OK, null, false);
    }

    private static double load(long task, int index, double seconds) {
        var character = new SplittableRandom(task * 31 + 7);
        double height = 0.72 + character.nextDouble() * 0.24;
        double pause = 70 + character.nextInt(160);
        double length = 4 + character.nextInt(9);
        double wobble = 0.02 + character.nextDouble() * 0.06;
        if (seconds < LOADING_SECONDS) {
            return Math.max(0, 0.18 * seconds / LOADING_SECONDS + 0.04 * noise(index, (long) seconds));
        }
        boolean resting = (seconds - LOADING_SECONDS) % (pause + length) > pause;
        double step = Math.sin(seconds / (5 + character.nextInt(9)) + index) * wobble / 2;
        double load = resting ? 0.03 : height + step + wobble * noise(index * 131 + (int) task, (long) (seconds / 2));
        return Math.clamp(load, 0, 1);
    }

    private static double memory(long task, double seconds) {
        double full = 0.45 + new SplittableRandom(task * 17 + 3).nextDouble() * 0.48;
        double loaded = Math.min(1, seconds / (LOADING_SECONDS + 10));
        return 0.012 + full * loaded;
    }

    /** From -1 to 1, the same for the same arguments. */
    private static double noise(long place, long time) {
        return new SplittableRandom(place * 1_000_003 + time).nextDouble() * 2 - 1;
    }

    private static Model model(String type) {
        String name = type.toUpperCase(Locale.ROOT);
        if (name.contains("910B") || name.contains("910C")) {
            return new Model(64, 400);
        }
        if (name.contains("910") || name.contains("V100")) {
            return new Model(32, 310);
        }
        if (name.contains("310")) {
            return new Model(24, 72);
        }
        if (name.contains("H100") || name.contains("H800")) {
            return new Model(80, 700);
        }
        if (name.contains("H200") || name.contains("H20")) {
            return new Model(141, 700);
        }
        if (name.contains("A100") || name.contains("A800")) {
            return new Model(80, 400);
        }
        return name.startsWith("MI") ? new Model(192, 750) : new Model(24, 300);
    }
}
