package io.sluice.jobs;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** How often a user may do something in a while. Of users who have not been seen for long, the count is forgotten. */
public final class Allowance {
    private static final int USERS = 10_000;

    private final int most;
    private final Duration window;
    private final Map<Long, Count> counts = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Count> eldest) {
            return size() > USERS;
        }
    };

    private record Count(long began, int times) {}

    public Allowance(int most, Duration window) {
        this.most = most;
        this.window = window;
    }

    /** Gives back one that was taken for nothing. */
    public synchronized void giveBack(long user) {
        counts.computeIfPresent(user, (key, count) -> new Count(count.began(), Math.max(0, count.times() - 1)));
    }

    /** Takes one of what is left; where nothing is, how long to wait. */
    public synchronized Optional<Duration> take(long user) {
        long now = System.nanoTime();
        Count count = counts.get(user);
        if (count == null || now - count.began() >= window.toNanos()) {
            count = new Count(now, 0);
        }
        if (count.times() >= most) {
            return Optional.of(window.minusNanos(now - count.began()).plusSeconds(1));
        }
        counts.put(user, new Count(count.began(), count.times() + 1));
        return Optional.empty();
    }
}
