package io.sluice.telemetry.idle;

import io.sluice.jobs.clusters.IdleRule.Then;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a job stands that does nothing.
 *
 * @param quietMillis for which its devices have done nothing, as far as was seen until {@code seen}
 * @param warned null: it is watched, or kept
 * @param minutes of the rule by which it was warned
 * @param due when {@code then} is done
 * @param kept until when somebody keeps it
 * @param done since when it is being stopped or put back
 */
public record Warning(
        long job,
        int attempt,
        String cluster,
        long quietMillis,
        double level,
        Instant seen,
        @Nullable Instant warned,
        int minutes,
        Then then,
        @Nullable Instant due,
        int keepHours,
        @Nullable Instant kept,
        @Nullable String keptBy,
        @Nullable Instant done) {

    public boolean isKept(Instant now) {
        return kept != null && kept.isAfter(now);
    }

    boolean isDue(Instant now) {
        return warned != null && then != Then.WARN && due != null && !due.isAfter(now);
    }
}
