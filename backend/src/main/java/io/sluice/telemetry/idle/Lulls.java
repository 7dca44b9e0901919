package io.sluice.telemetry.idle;

import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The lulls of all devices that jobs under a rule hold. Fed by each look at everything, asked now and then. */
final class Lulls {
    private static final class Watched {
        private final int attempt;
        private final Map<String, Lull> devices = new HashMap<>();
        private List<Holder> holders = List.of();
        private final Instant since;

        Watched(int attempt, Instant since) {
            this.attempt = attempt;
            this.since = since;
        }
    }

    private final Map<Long, Watched> jobs = new HashMap<>();
    private Map<String, IdleRule> rules = Map.of();

    /**
     * A job with devices, as they are now.
     *
     * @param quiet for how long all of them have done nothing, as far as was seen
     * @param level the busiest one's mean utilisation meanwhile
     * @param seen of the device that has been seen longest ago
     * @param active when one did something last; {@link Instant#MIN}: not since it is watched
     */
    record Job(
            long id,
            int attempt,
            String user,
            String name,
            String cluster,
            List<Holder> holders,
            int devices,
            Duration quiet,
            double level,
            Instant seen,
            Instant active) {
        Job {
            holders = List.copyOf(holders);
        }

        String key() {
            return user + "~" + name;
        }

        /** Whether the last samples of all devices are of now. */
        boolean isFresh(Instant now) {
            return Duration.between(seen, now).compareTo(Lull.STEP) <= 0;
        }
    }

    synchronized void rules(Map<String, IdleRule> now) {
        rules = Map.copyOf(now);
    }

    /** One round. A device whose sample is missing adds nothing, and what does not tell its utilisation is never idle. */
    synchronized void take(Observation seen) {
        if (rules.isEmpty()) {
            jobs.clear();
            return;
        }
        Map<Long, List<Holder>> holders = seen.tasks().stream()
                .map(Doing::holder)
                .filter(holder -> rules.containsKey(holder.cluster()))
                .collect(Collectors.groupingBy(Holder::job));
        holders.forEach((job, its) -> {
            int attempt = its.getFirst().attempt();
            Watched watched = jobs.compute(
                    job,
                    (id, known) -> known == null || known.attempt != attempt ? new Watched(attempt, seen.at()) : known);
            watched.holders = List.copyOf(its);
            watched.devices.keySet().retainAll(keys(its));
        });
        jobs.keySet().retainAll(holders.keySet());
        for (Seen device : seen.devices()) {
            Holder holder = device.holder();
            Watched watched = holder == null ? null : jobs.get(holder.job());
            IdleRule rule = holder == null ? null : rules.get(holder.cluster());
            if (holder != null && watched != null && rule != null && holder.attempt() == watched.attempt) {
                take(watched, device, holder, rule, seen.at());
            }
        }
    }

    private static Set<String> keys(List<Holder> holders) {
        return holders.stream()
                .flatMap(holder -> holder.devices().stream().map(device -> holder.node() + "/" + device))
                .collect(Collectors.toSet());
    }

    private static void take(Watched watched, Seen device, Holder holder, IdleRule rule, Instant at) {
        double load = device.value(Metric.UTILISATION);
        Integer memory = rule.memory();
        double filled = memory == null ? 0 : device.value(Metric.MEMORY_USED) / device.value(Metric.MEMORY_TOTAL);
        if (Double.isNaN(load) || Double.isNaN(filled)) {
            return;
        }
        boolean blocked = holder.launched() == null || (memory != null && filled * 100 >= memory);
        double most = rule.utilisation() / 100.0;
        Lull known = watched.devices.get(device.key());
        if (known == null) {
            watched.devices.put(device.key(), new Lull(at, blocked ? 1 : load, most));
        } else {
            known.take(at, load, most, Duration.ofMinutes(rule.minutes()), blocked);
        }
    }

    /** What an earlier gateway, or the other one, has seen of a job's devices. */
    synchronized void continues(long job, int attempt, Duration quiet, double level, Instant seen) {
        Watched watched = jobs.get(job);
        if (watched != null && watched.attempt == attempt) {
            IdleRule rule = rules.get(watched.holders.getFirst().cluster());
            Duration window = Duration.ofMinutes(rule == null ? IdleRule.USUAL.minutes() : rule.minutes());
            watched.devices.values().forEach(lull -> lull.continues(quiet, level, seen, watched.since, window));
        }
    }

    /** Those all of whose devices have told something. */
    synchronized List<Job> jobs() {
        var all = new ArrayList<Job>();
        jobs.forEach((id, watched) -> job(id, watched).ifPresent(all::add));
        return all;
    }

    private Optional<Job> job(long id, Watched watched) {
        Holder first = watched.holders.getFirst();
        IdleRule rule = rules.get(first.cluster());
        int devices = watched.holders.stream()
                .mapToInt(holder -> holder.devices().size())
                .sum();
        if (rule == null || devices == 0 || watched.devices.size() < devices) {
            return Optional.empty();
        }
        Instant active = Instant.MIN;
        Instant seen = Instant.MAX;
        Duration quiet = Duration.ofDays(365);
        double level = 0;
        for (Lull lull : watched.devices.values()) {
            active = lull.active().isAfter(active) ? lull.active() : active;
            seen = lull.seen().isBefore(seen) ? lull.seen() : seen;
            quiet = lull.quiet().compareTo(quiet) < 0 ? lull.quiet() : quiet;
            level = Math.max(level, lull.level());
        }
        return Optional.of(new Job(
                id,
                watched.attempt,
                first.user(),
                first.name(),
                first.cluster(),
                watched.holders,
                devices,
                quiet,
                level,
                seen,
                active));
    }
}
