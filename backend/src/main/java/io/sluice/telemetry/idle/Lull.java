package io.sluice.telemetry.idle;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a device has done nothing, as far as it was seen. One sample is none: what counts is the mean over the time between samples, so that
 * a tool's odd value ends nothing either. Time that nobody saw counts for nothing, and after much of it the count begins anew.
 */
final class Lull {
    /** Between two samples that belong together. */
    static final Duration STEP = Duration.ofSeconds(60);

    static final Duration GAP = Duration.ofMinutes(10);

    private Instant seen;
    private double seconds;
    /** Utilisation by time, of the last {@code weight} seconds. */
    private double sum;

    private double weight;
    /** When it did something last. */
    private Instant active;

    /** @param utilisation of the first sample, from 0 to 1 */
    Lull(Instant at, double utilisation, double most) {
        seen = at;
        active = utilisation >= most ? at : Instant.MIN;
    }

    /**
     * @param utilisation from 0 to 1
     * @param most that is still nothing
     * @param window of which the mean is taken, once it has lasted so long
     * @param blocked something else tells that it is not idle
     */
    void take(Instant at, double utilisation, double most, Duration window, boolean blocked) {
        Duration passed = Duration.between(seen, at);
        boolean odd = passed.isNegative() || passed.compareTo(GAP) > 0;
        double more = odd || passed.compareTo(STEP) > 0 ? 0 : (double) passed.toMillis() / 1000;
        seen = at;
        if (odd) {
            begin();
        }
        seconds += more;
        add(utilisation, more, window);
        boolean busy = weight == 0 ? utilisation >= most : sum / weight >= most;
        if (busy || blocked) {
            begin();
            active = at;
        }
    }

    private void add(double utilisation, double more, Duration window) {
        sum += utilisation * more;
        weight += more;
        double most = (double) window.toSeconds();
        if (weight > most) {
            sum *= most / weight;
            weight = most;
        }
    }

    private void begin() {
        seconds = 0;
        weight = 0;
        sum = 0;
    }

    /** What is known of the time before this gateway looked, if that is not long ago. */
    void continues(Duration earlier, double level, Instant until, Instant since, Duration window) {
        if (Duration.between(until, since).compareTo(GAP) <= 0 && active.equals(Instant.MIN)) {
            seconds += (double) earlier.toMillis() / 1000;
            add(level, (double) earlier.toMillis() / 1000, window);
        }
    }

    Duration quiet() {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    double level() {
        return weight == 0 ? 0 : sum / weight;
    }

    Instant seen() {
        return seen;
    }

    Instant active() {
        return active;
    }
}
