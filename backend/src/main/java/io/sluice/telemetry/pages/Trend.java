package io.sluice.telemetry.pages;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** The last two hours of the whole, and since when each device does nothing. */
final class Trend {
    private static final int ROWS = 240;
    private static final long EVERY_MILLIS = 30_000;
    private static final long LONG_MILLIS = 600_000;
    private static final long GONE_MILLIS = 60_000;
    /** Held and below this share is idle, if it has been for so many looks. */
    private static final double IDLE = 0.05;

    /** @param seen when it was known to do nothing last */
    private record Idle(long task, long since, long seen) {}

    private final ArrayDeque<double[]> rows = new ArrayDeque<>();
    private final Map<String, Idle> idleSince = new ConcurrentHashMap<>();
    private long last;

    void take(Observation seen) {
        long now = seen.at().toEpochMilli();
        seen.devices().forEach(device -> idle(device, now));
        idleSince.values().removeIf(idle -> now - idle.seen() > GONE_MILLIS);
        if (now - last >= EVERY_MILLIS && !seen.devices().isEmpty()) {
            last = now;
            List<Seen> held = seen.devices().stream()
                    .filter(device -> device.holder() != null)
                    .toList();
            double busy = held.stream()
                    .mapToDouble(device -> device.value(Metric.UTILISATION))
                    .filter(load -> !Double.isNaN(load))
                    .average()
                    .orElse(Double.NaN);
            synchronized (rows) {
                rows.add(new double[] {(double) held.size() / seen.devices().size(), busy});
                while (rows.size() > ROWS) {
                    rows.remove();
                }
            }
        }
    }

    /** Whoever has it now begins anew, and so does what was not seen for longer than a sample or two. */
    private void idle(Seen device, long now) {
        double load = device.value(Metric.UTILISATION);
        Holder holder = device.holder();
        if (holder == null || load >= IDLE) {
            idleSince.remove(device.key());
        } else if (load < IDLE) {
            idleSince.compute(
                    device.key(),
                    (key, before) -> before == null || before.task() != holder.task()
                            ? new Idle(holder.task(), now, now)
                            : new Idle(before.task(), before.since(), now));
        } else {
            idleSince.computeIfPresent(device.key(), (key, before) -> before.task() == holder.task() ? before : null);
        }
    }

    boolean isIdle(String device) {
        Idle idle = idleSince.get(device);
        return idle != null && idle.seen() - idle.since() > LONG_MILLIS;
    }

    String held() {
        return line(0);
    }

    String busy() {
        return line(1);
    }

    private String line(int column) {
        synchronized (rows) {
            float[] values = new float[rows.size()];
            int at = 0;
            for (double[] row : rows) {
                values[at++] = (float) Objects.requireNonNull(row)[column];
            }
            return Spark.points(values, 1);
        }
    }
}
