package io.sluice.telemetry.observe;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Rates;
import io.sluice.telemetry.tasks.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes rates of what tasks have taken in all, from one round to the next. */
final class Activity {
    /** A task that has not used the processor for so long does nothing. */
    private static final Duration QUIET = Duration.ofMinutes(2);

    private static final double LEAST_SECONDS = 0.2;

    private record Before(Instant at, Usage usage, Instant active) {}

    private final Map<Long, Before> before = new HashMap<>();

    Map<Long, Doing> doings(List<Holder> holders, Map<String, Usage> usages, Instant at) {
        var doings = new LinkedHashMap<Long, Doing>();
        for (Holder holder : holders) {
            doings.put(holder.task(), doing(holder, usages.get(holder.run()), at));
        }
        before.keySet().retainAll(doings.keySet());
        return doings;
    }

    private Doing doing(Holder holder, @Nullable Usage usage, Instant at) {
        Before last = before.get(holder.task());
        if (usage == null) {
            return new Doing(holder, null, Rates.NONE, true);
        }
        if (last == null) {
            before.put(holder.task(), new Before(at, usage, at));
            return new Doing(
                    holder,
                    usage,
                    new Rates(Double.NaN, usage.memoryBytes(), Double.NaN, Double.NaN, Double.NaN, Double.NaN),
                    true);
        }
        double seconds = (double) Duration.between(last.at(), at).toMillis() / 1000;
        if (seconds < LEAST_SECONDS) {
            return new Doing(holder, usage, Rates.NONE, true);
        }
        Usage earlier = last.usage();
        Rates rates = new Rates(
                rate(earlier.cpuSeconds(), usage.cpuSeconds(), seconds),
                usage.memoryBytes(),
                rate(earlier.receivedBytes(), usage.receivedBytes(), seconds),
                rate(earlier.sentBytes(), usage.sentBytes(), seconds),
                rate(earlier.readBytes(), usage.readBytes(), seconds),
                rate(earlier.writtenBytes(), usage.writtenBytes(), seconds));
        Instant active = usage.cpuSeconds() > earlier.cpuSeconds() ? at : last.active();
        before.put(holder.task(), new Before(at, usage, active));
        return new Doing(holder, usage, rates, Duration.between(active, at).compareTo(QUIET) < 0);
    }

    /** A counter that went back has begun anew, and tells nothing of the time between. */
    private static double rate(double earlier, double now, double seconds) {
        return now < earlier ? Double.NaN : (now - earlier) / seconds;
    }
}
