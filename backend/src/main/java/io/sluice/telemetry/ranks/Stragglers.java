package io.sluice.telemetry.ranks;

import io.sluice.telemetry.ranks.Rank.Mark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** Points out who lags behind, and who failed first. Pure. */
final class Stragglers {
    /** Of what is usual: who is above it is not slow, as no two are ever alike. */
    private static final double FAR_BELOW = 0.7;
    /** So long anybody may think. */
    private static final Duration THOUGHT = Duration.ofSeconds(60);
    /** Below it the differences say nothing. */
    private static final long FEW_BYTES = 1024;

    private Stragglers() {}

    static List<Rank> marked(List<Rank> all, Instant now) {
        var ranks = new ArrayList<>(all);
        slowest(ranks, rank -> rank.runs() && rank.first() >= 0 && !Double.isNaN(rank.use()), Rank::use)
                .ifPresent(at -> ranks.set(at, ranks.get(at).marked(Mark.SLOW_USE)));
        slowest(ranks, Stragglers::printsAsOthers, rank -> rank.bytes() + FEW_BYTES)
                .or(() -> silent(ranks, now))
                .ifPresent(at -> ranks.set(at, ranks.get(at).marked(Mark.SLOW_LOG)));
        ranks.stream()
                .filter(Rank::failed)
                .min(Comparator.comparing(
                        rank -> Optional.ofNullable(rank.task().completed()).orElse(Instant.MAX)))
                .ifPresent(rank -> ranks.set(ranks.indexOf(rank), rank.marked(Mark.FAILED_FIRST)));
        return ranks;
    }

    /** Rank 0 prints for all in many a job, and what has no rank does something else. */
    private static boolean printsAsOthers(Rank rank) {
        return rank.runs() && rank.first() > 0 && rank.said() != null;
    }

    /** The place of the least, if it is far below the middle of the others. */
    private static Optional<Integer> slowest(List<Rank> ranks, Predicate<Rank> counts, ToDoubleFunction<Rank> value) {
        List<Rank> some = ranks.stream()
                .filter(counts)
                .sorted(Comparator.comparingDouble(value))
                .toList();
        return some.size() > 1 && value.applyAsDouble(some.getFirst()) < FAR_BELOW * ofOthers(some, value)
                ? Optional.of(ranks.indexOf(some.getFirst()))
                : Optional.empty();
    }

    /** Who has said nothing for long, while the others have. */
    private static Optional<Integer> silent(List<Rank> ranks, Instant now) {
        ToDoubleFunction<Rank> silence = rank -> silence(rank, now);
        List<Rank> some = ranks.stream()
                .filter(rank -> rank.runs() && rank.said() != null)
                .sorted(Comparator.comparingDouble(silence).reversed())
                .toList();
        return some.size() > 1
                        && silence(some.getFirst(), now)
                                > Math.max((double) THOUGHT.toSeconds(), 4 * ofOthers(some, silence))
                ? Optional.of(ranks.indexOf(some.getFirst()))
                : Optional.empty();
    }

    /** What is usual among all but the first. */
    private static double ofOthers(List<Rank> some, ToDoubleFunction<Rank> value) {
        return middle(some.stream().skip(1).mapToDouble(value).toArray());
    }

    private static double silence(Rank rank, Instant now) {
        Instant said = rank.said();
        return said == null ? 0 : Duration.between(said, now).toMillis() / 1000.0;
    }

    private static double middle(double[] values) {
        Arrays.sort(values);
        int half = values.length / 2;
        return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }
}
