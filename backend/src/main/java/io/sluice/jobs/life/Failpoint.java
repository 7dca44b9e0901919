package io.sluice.jobs.life;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Named instants at which a fault test lets this process die as {@code kill -9} would: {@code claim.after:kill}, or {@code name:kill:3} for
 * the third time that it comes there; several with commas between. Without one, nothing ever happens.
 */
public final class Failpoint {
    public static final Failpoint NONE = new Failpoint(Map.of());

    private static final int KILLED = 137;

    private final Map<String, AtomicInteger> left;

    private Failpoint(Map<String, AtomicInteger> left) {
        this.left = left;
    }

    public static Failpoint of(String text) {
        return new Failpoint(Arrays.stream(text.split(","))
                .map(point -> point.strip().split(":"))
                .filter(words -> words.length >= 2 && words[1].equals("kill"))
                .collect(Collectors.toMap(
                        words -> words[0],
                        words -> new AtomicInteger(words.length > 2 ? Integer.parseInt(words[2]) : 1))));
    }

    public void pass(String name) {
        var times = left.get(name);
        if (times != null && times.decrementAndGet() == 0) {
            Runtime.getRuntime().halt(KILLED);
        }
    }
}
