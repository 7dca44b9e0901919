package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Run;
import io.sluice.jobs.data.Transfers;
import io.sluice.jobs.gang.GangFolders;
import io.vertx.core.Future;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Holds what the engine says against what is stored. What runs and is known is adopted, what has ended is finalised with its real exit
 * code, what should run and is not there is lost, and what nobody knows is ended after a while.
 */
final class Reconciler {
    private static final Logger log = System.getLogger(Reconciler.class.getName());
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final int REMOVED_AT_ONCE = 16;

    private static final String UNSEEN = "The engine can not see its tasks at the moment. What runs goes on.";

    private final EngineLine engine;
    private final LifeStore jobs;
    private final TaskStore tasks;
    private final Life life;
    private final GangFolders gangs;
    private final Transfers transfers;
    /** Jobs look different. */
    private final Runnable seen;

    private final Map<String, Long> strangers = new HashMap<>();

    Reconciler(
            EngineLine engine,
            LifeStore jobs,
            TaskStore tasks,
            Life life,
            GangFolders gangs,
            Transfers transfers,
            Runnable seen) {
        this.engine = engine;
        this.jobs = jobs;
        this.seen = seen;
        this.tasks = tasks;
        this.life = life;
        this.gangs = gangs;
        this.transfers = transfers;
    }

    void run(LifeStore.Leadership leads) {
        // first the tables, then the engine: what starts in between is in the list and not missed
        List<String> expected = tasks.runs("started").await();
        List<Run> found = list(leads).orElse(null);
        if (found == null) {
            return;
        }
        doubt(leads.epoch(), found);
        var settled = settled(found);
        found.stream().filter(run -> !settled.containsKey(run.name())).forEach(life::heard);
        Set<String> names = found.stream().map(Run::name).collect(Collectors.toSet());
        expected.stream().filter(name -> !names.contains(name)).forEach(name -> life.heard(lost(name)));
        clean(found, settled);
        try {
            gangs.sweep(jobs -> tasks.alive(jobs).await());
            transfers.sweep(jobs -> tasks.unfinished(jobs).await());
        } catch (IOException e) {
            log.log(Level.WARNING, "folders=left cause=\"{0}\"", e.getMessage());
        }
    }

    /** Runs that no task waits for, and whether their outcome is stored. */
    private Map<String, Boolean> settled(List<Run> found) {
        var names = found.stream().map(Run::name).distinct().toList();
        return names.isEmpty() ? Map.of() : tasks.over(names).await();
    }

    /** Nothing where the engine does not answer. Of this install: a gateway of another database leaves them alone. */
    private Optional<List<Run>> list(LifeStore.Leadership leads) {
        try {
            return Optional.of(engine.list().await().stream()
                    .filter(run -> leads.install().equals(run.labels().get(Launch.INSTALL_LABEL)))
                    .toList());
        } catch (Engine.Unavailable e) {
            var away = engine.away();
            if (away.isPresent() && jobs.doubt(leads.epoch(), null, away.get()).await()) {
                seen.run();
            }
            return Optional.empty();
        }
    }

    /** What the engine itself can not see is not known here either; all else is. */
    private void doubt(long epoch, List<Run> found) {
        Map<Long, String> unseen = new HashMap<>();
        for (Run run : found) {
            if (run.state() == Run.State.UNKNOWN) {
                String detail = run.detail();
                Life.jobOf(run).ifPresent(job -> unseen.put(job, detail == null ? UNSEEN : detail));
            }
        }
        boolean news = jobs.certain(epoch, unseen.keySet()).await();
        for (var job : unseen.entrySet()) {
            news |= jobs.doubt(epoch, List.of(job.getKey()), job.getValue()).await();
        }
        if (news) {
            seen.run();
        }
    }

    private static Run lost(String name) {
        return new Run(
                name,
                Map.of(),
                Run.State.LOST,
                null,
                null,
                false,
                null,
                Instant.now(),
                "The engine knows nothing of it any more.");
    }

    /**
     * What no task waits for is forgotten when it is over: at once where its outcome is stored, else a while after its end. What runs, and is
     * still not known after a while, is ended.
     */
    private void clean(List<Run> found, Map<String, Boolean> settled) {
        strangers.keySet().retainAll(settled.keySet());
        List<Run> over = new ArrayList<>();
        for (Run run : found) {
            Boolean stored = settled.get(run.name());
            if (stored == null) {
                continue;
            }
            long first = strangers.computeIfAbsent(run.name(), name -> System.nanoTime());
            boolean old = System.nanoTime() - first >= GRACE.toNanos() || endedLongAgo(run);
            if (run.isOver() && (stored || old)) {
                over.add(run);
            } else if (old) {
                log.log(Level.WARNING, "run={0} stranger=stopped", run.name());
                engine.stop(run.name(), Duration.ofSeconds(10)).await();
            }
        }
        forget(over);
    }

    /** Seen by which gateway ever: one that is killed again and again keeps nothing for ever. */
    private static boolean endedLongAgo(Run run) {
        Instant ended = run.ended();
        return ended != null && ended.isBefore(Instant.now().minus(GRACE));
    }

    /** Some at a time. One that can not be removed keeps no other from it; an engine that answers none of them is not asked for more. */
    private void forget(List<Run> over) {
        for (int from = 0; from < over.size(); from += REMOVED_AT_ONCE) {
            var lot = over.subList(from, Math.min(from + REMOVED_AT_ONCE, over.size())).stream()
                    .map(run -> engine.remove(run.name()).onSuccess(removed -> life.forgotten(run.name())))
                    .toList();
            var all = Future.join(lot);
            all.otherwiseEmpty().await();
            if (all.failed()) {
                log.log(Level.WARNING, "runs=kept cause=\"{0}\"", String.valueOf(all.cause()));
            }
            if (lot.stream().allMatch(Future::failed)) {
                return;
            }
        }
    }
}
