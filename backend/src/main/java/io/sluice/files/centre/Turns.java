package io.sluice.files.centre;

import io.sluice.web.Problem;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** How many of what takes memory for long there may be at once: of one person's, and of everybody's. */
final class Turns {
    private static final Duration LATER = Duration.ofSeconds(5);

    private final String limit;
    private final String said;
    private final int mostEach;
    private final int most;
    private final CentreMetrics metrics;
    /** Its own lock. */
    private final Map<Long, Integer> each = new HashMap<>();

    private int all;

    /**
     * @param said to who has as many as they may
     * @param size of each in bytes; an eighth of the memory that there is holds no more of them, but always as many as one person may have
     */
    Turns(String limit, String said, int mostEach, long size, CentreMetrics metrics) {
        this(
                limit,
                said,
                mostEach,
                (int) Math.max(mostEach, Runtime.getRuntime().maxMemory() / 8 / size),
                metrics);
    }

    Turns(String limit, String said, int mostEach, int most, CentreMetrics metrics) {
        this.limit = limit;
        this.said = said;
        this.mostEach = mostEach;
        this.most = most;
        this.metrics = metrics;
    }

    /** Refuses who has as many as they may; whoever enters leaves. */
    void enter(long user) {
        synchronized (each) {
            int own = each.getOrDefault(user, 0);
            if (own < mostEach && all < most) {
                each.put(user, own + 1);
                all++;
                return;
            }
            if (own >= mostEach) {
                metrics.refused(limit + "_per_user");
                throw Problem.tooMany(said + " Wait until it is done, and try again.", LATER);
            }
        }
        metrics.refused(limit);
        throw Problem.tooMany("The gateway is moving as much at once as it can. Try again in a few seconds.", LATER);
    }

    void leave(long user) {
        synchronized (each) {
            each.computeIfPresent(user, (who, own) -> own == 1 ? null : own - 1);
            all--;
        }
    }
}
