package io.sluice.telemetry.pages;

import io.sluice.engines.Node;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The observation by machine, and since when each looks as it does. */
final class Machines {
    private record Look(int content, long since) {}

    private final Trend trend;
    /** Of another gateway, or of this one before a restart, a cursor says nothing. */
    private final String own = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);

    private final Map<String, Look> looks = new ConcurrentHashMap<>();
    private volatile Grouped grouped = Grouped.of(Observation.NOTHING);
    private volatile long round;

    Machines(Trend trend) {
        this.trend = trend;
    }

    /** What is on each machine. */
    record Grouped(Observation of, Map<String, List<Seen>> devices, Map<String, List<Doing>> tasks) {
        static Grouped of(Observation seen) {
            return new Grouped(
                    seen,
                    seen.devices().stream().collect(Collectors.groupingBy(Seen::node)),
                    seen.tasks().stream()
                            .collect(Collectors.groupingBy(
                                    doing -> doing.holder().node())));
        }

        List<Seen> devices(String node) {
            return devices.getOrDefault(node, List.of());
        }

        List<Doing> tasks(String node) {
            return tasks.getOrDefault(node, List.of());
        }
    }

    void take(Observation seen) {
        Grouped next = Grouped.of(seen);
        long now = round + 1;
        var there = new HashMap<String, Look>();
        for (Node node : seen.nodes()) {
            int content = content(node, next);
            Look before = looks.get(node.name());
            there.put(node.name(), before != null && before.content() == content ? before : new Look(content, now));
        }
        looks.putAll(there);
        looks.keySet().retainAll(there.keySet());
        grouped = next;
        round = now;
    }

    private Grouped of(Observation seen) {
        Grouped known = grouped;
        return known.of().at().equals(seen.at()) ? known : Grouped.of(seen);
    }

    /** @param cursor from which on {@link #isNewer} tells what is not in it */
    record View(String cursor, Grouped grouped) {}

    /** The cursor first: a round that comes in between is shown once more, and not never. */
    View view(Supplier<Observation> now) {
        String cursor = own + "." + round;
        return new View(cursor, of(now.get()));
    }

    /** Whether it looks different since; to whom nothing is known, everything is new. */
    boolean isNewer(String node, @Nullable String cursor) {
        Look look = looks.get(node);
        if (look == null || cursor == null || !cursor.matches("\\Q" + own + "\\E[.]\\d{1,18}")) {
            return true;
        }
        return look.since() > Long.parseLong(cursor.substring(own.length() + 1));
    }

    /** All that the page shows of it, in the steps in which it shows it. */
    private int content(Node node, Grouped by) {
        int content = Objects.hash(
                node.unready(),
                node.cpus(),
                node.memoryMB(),
                by.tasks(node.name()).size());
        double cores = 0;
        for (Doing doing : by.tasks(node.name())) {
            cores += Double.isNaN(doing.rates().cpuCores()) ? 0 : doing.rates().cpuCores();
        }
        content = 31 * content + (int) Math.round(cores * 10);
        for (Seen seen : by.devices(node.name())) {
            content = 31 * content + content(seen);
        }
        return content;
    }

    private int content(Seen seen) {
        long task = seen.holder() == null ? 0 : seen.holder().task();
        int content = Objects.hash(
                seen.device().id(),
                seen.device().type(),
                seen.device().fault(),
                seen.device().checking(),
                task,
                trend.isIdle(seen.key()));
        content = 31 * content + steps(seen.value(Metric.UTILISATION), 100);
        content = 31 * content + steps(seen.value(Metric.MEMORY_USED), 10.0 / (1L << 30));
        content = 31 * content + steps(seen.value(Metric.POWER), 0.1);
        return 31 * content + steps(seen.value(Metric.TEMPERATURE), 0.5);
    }

    private static int steps(double value, double scale) {
        return Double.isNaN(value) ? -1 : (int) Math.round(value * scale);
    }
}
