package io.sluice.telemetry.history;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Keeps from asking what has failed a few times in a row, for a while; then one question goes through. */
public final class Breaker {
    private static final int FAILURES = 3;
    private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

    private final LongSupplier clock;
    private int failures;
    private long until;

    public Breaker(LongSupplier clock) {
        this.clock = clock;
    }

    public synchronized boolean isOpen() {
        if (failures < FAILURES) {
            return false;
        }
        long now = clock.getAsLong();
        if (now < until) {
            return true;
        }
        until = now + PAUSE_NANOS; // this one may try; the others wait for what it finds
        return false;
    }

    public synchronized void succeeded() {
        failures = 0;
    }

    public synchronized void failed() {
        failures++;
        until = clock.getAsLong() + PAUSE_NANOS;
    }
}
