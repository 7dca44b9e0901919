package io.sluice.logs.keep;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Logs with which something failed that concerns them alone: left alone for a while, so that the others have their turn, and then tried again. */
final class Setbacks {
    static final int MOST = 1_000;

    private final long pause;
    private final Map<Long, Long> until = new LinkedHashMap<>();

    Setbacks(Duration pause) {
        this.pause = pause.toMillis();
    }

    /** With more of them than are remembered the first is tried again before its time. */
    void add(long task, long now) {
        until.remove(task);
        until.put(task, now + pause);
        if (until.size() > MOST) {
            until.remove(until.keySet().iterator().next());
        }
    }

    /** Those that are left alone at the moment. */
    Collection<Long> at(long now) {
        until.values().removeIf(time -> time <= now);
        return List.copyOf(until.keySet());
    }
}
