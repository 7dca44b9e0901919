package io.sluice.endpoints.road.passes;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** How much is open for everybody, and for each user: so that nobody has all of it. */
public final class Seats {
    private final int most;
    private final int mostOfOne;
    private final AtomicInteger taken = new AtomicInteger();
    private final ConcurrentMap<String, Integer> byUser = new ConcurrentHashMap<>();

    public Seats(int most, int mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Whether there was one. Who got one leaves it again. */
    public boolean take(String user) {
        int own = byUser.merge(user, 1, Integer::sum);
        int all = taken.incrementAndGet();
        if (own <= mostOfOne && all <= most) {
            return true;
        }
        leave(user);
        return false;
    }

    public void leave(String user) {
        taken.decrementAndGet();
        byUser.computeIfPresent(user, (name, open) -> open == 1 ? null : open - 1);
    }

    /** Of whom something is open. */
    int users() {
        return byUser.size();
    }
}
