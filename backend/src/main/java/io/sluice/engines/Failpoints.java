package io.sluice.engines;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Named places where a test lets the gateway die as by {@code kill -9}: {@code SLUICE_FAILPOINT=engine.afterCreate:kill},
 * or {@code name:kill:3} for the third time it comes there; several with commas between. Names that are not an engine's
 * are another's.
 */
public final class Failpoints {

    private static final int KILLED = 137;

    private final Map<String, AtomicInteger> left = new HashMap<>();

    private Failpoints() {}

    public static Failpoints ofEnvironment() {
        return of(System.getProperty("sluice.failpoint", System.getenv().getOrDefault("SLUICE_FAILPOINT", "")));
    }

    public static Failpoints of(String spec) {
        var points = new Failpoints();
        for (var point : spec.split(",")) {
            var parts = point.strip().split(":");
            if (parts.length >= 2 && parts[1].equals("kill")) {
                points.left.put(parts[0], new AtomicInteger(parts.length > 2 ? Integer.parseInt(parts[2]) : 1));
            }
        }
        return points;
    }

    public void reach(String name) {
        var times = left.get(name);
        if (times != null && times.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }
}
