package io.sluice.telemetry.idle;

import io.sluice.jobs.JobDetail.Output;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.clusters.IdleRule;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** When jobs did something that their devices do not show: printed, or were visited. */
final class Activity {
    private final Jobs jobs;
    private final Function<Collection<Long>, Future<Map<Long, Instant>>> used;

    /** @param used when somebody was at a job's endpoints last; of those where nobody was ever it says nothing */
    Activity(Jobs jobs, Function<Collection<Long>, Future<Map<Long, Instant>>> used) {
        this.jobs = jobs;
        this.used = used;
    }

    /** By job; one of which something could not be found out is not in it, and neither idle nor busy. */
    Map<Long, Instant> of(List<Lulls.Job> asked, Map<String, IdleRule> rules) throws Exception {
        List<Lulls.Job> quiet = asked.stream()
                .filter(job -> Objects.requireNonNull(rules.get(job.cluster())).quiet())
                .toList();
        List<Long> visited = asked.stream()
                .filter(job -> Objects.requireNonNull(rules.get(job.cluster())).unused())
                .map(Lulls.Job::id)
                .toList();
        Map<Long, Instant> printed = printed(quiet);
        Map<Long, Instant> uses = visited.isEmpty() ? Map.of() : Idle.await(used.apply(visited));
        var all = new HashMap<Long, Instant>();
        for (Lulls.Job job : asked) {
            Instant last = job.active();
            if (quiet.contains(job)) {
                Instant line = printed.get(job.id());
                if (line == null) {
                    continue;
                }
                last = later(last, line);
            }
            all.put(job.id(), later(last, uses.getOrDefault(job.id(), Instant.MIN)));
        }
        return all;
    }

    private Map<Long, Instant> printed(List<Lulls.Job> asked) throws Exception {
        List<Long> tasks = new ArrayList<>();
        asked.forEach(job -> job.holders().forEach(holder -> tasks.add(holder.task())));
        if (tasks.isEmpty()) {
            return Map.of();
        }
        var last = new HashMap<Long, Instant>();
        for (Output output : Idle.await(jobs.outputs(tasks))) {
            last.merge(output.job(), printed(output), Activity::later);
        }
        last.values().removeIf(Instant.MAX::equals);
        return last;
    }

    /** {@link Instant#MAX}: nobody knows. */
    private static Instant printed(Output output) {
        Instant launched = output.launched();
        try {
            return Files.getLastModifiedTime(output.file()).toInstant();
        } catch (NoSuchFileException e) {
            return launched == null ? Instant.MAX : launched;
        } catch (IOException e) {
            return Instant.MAX;
        }
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
