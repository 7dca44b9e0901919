package io.sluice.database;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for a condition, not for a time. */
final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Eventually() {}

    static void holds(Callable<Boolean> condition) throws Exception {
        for (var end = Instant.now().plus(LIMIT); !condition.call(); LockSupport.parkNanos(5_000_000)) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("did not come about within " + LIMIT);
            }
        }
    }
}
