package io.sluice.endpoints;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Names that were asked for a moment ago and are no endpoint's: whoever goes on asking costs no question to the database. */
final class Unknown {
    static final int MOST = 1_000;
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** In nanoseconds. */
    private final LongSupplier clock;
    /** And when each was asked for. */
    private final Map<String, Long> ids = new ConcurrentHashMap<>();

    Unknown(LongSupplier clock) {
        this.clock = clock;
    }

    void add(String id) {
        if (ids.size() >= MOST) {
            ids.clear();
        }
        ids.put(id, clock.getAsLong());
    }

    boolean holds(String id) {
        Long since = ids.get(id);
        return since != null && clock.getAsLong() - since < KEPT_NANOS;
    }
}
