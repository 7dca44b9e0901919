package io.sluice.jobs.data.care;

import java.time.Duration;

/**
 * How patient data's movers are.
 *
 * @param tries of the same before it has failed
 * @param pause after the first, twice as long after each further one
 * @param every so often what running tasks have written is brought back
 */
public record Pace(int tries, Duration pause, Duration longest, Duration every) {
    public static final Pace USUAL =
            new Pace(24, Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(60));

    private static final int FEW = 3;

    /** Where there is another round soon. */
    public Pace brief() {
        return new Pace(Math.min(FEW, tries), pause, longest, every);
    }
}
