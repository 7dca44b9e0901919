package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import java.time.Duration;

/**
 * What one address may bring.
 *
 * @param bytes at most
 * @param time within which it has to have come; whoever sends a byte now and then keeps no machine for longer
 */
public record Limits(long bytes, Duration time) {
    public static final Limits USUAL = new Limits(100L << 30, Duration.ofHours(12));

    /** From now on. */
    public Span begin() {
        return new Span(System.nanoTime() + time.toNanos(), time);
    }

    /** How long there is still time. */
    public record Span(long end, Duration time) {
        public boolean isOver() {
            return System.nanoTime() - end > 0;
        }

        public void check(String what) throws StoreFault {
            if (isOver()) {
                throw new StoreFault(
                        Why.REFUSED,
                        what + " has not come within " + time.toMinutes()
                                + " minutes. Name less, or ask your administrator for more --data-minutes.");
            }
        }
    }

    public void check(String what, long found) throws StoreFault {
        if (found > bytes) {
            throw new StoreFault(
                    Why.REFUSED,
                    what + " has " + (found >> 20) + " MiB, and one address may bring " + (bytes >> 20)
                            + " MiB. Name less, or ask your administrator for a larger --data-size.");
        }
    }
}
