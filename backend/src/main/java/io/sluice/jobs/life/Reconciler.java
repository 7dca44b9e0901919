package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Run;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    private static final String UNSEEN = "The engine can not see its tasks at the moment. What runs goes on.";

    private final EngineLine engine;
    private final LifeStore jobs;
    private final TaskStore tasks;
    private final Life life;
    /** Jobs look different. */
    private final Runnable seen;

    private final Map<String, Long> strangers = new HashMap<>();

    Reconciler(EngineLine engine, LifeStore jobs, TaskStore tasks, Life life, Runnable seen) {
        this.engine = engine;
        this.jobs = jobs;
        this.seen = seen;
        this.tasks = tasks;
        this.life = life;
    }

    void run(LifeStore.Leadership leads) {
        // first the tables, then the engine: what starts in between is in the list and not missed
        List<String> expected = tasks.runs("started").await();
        List<Run> found = list(leads).orElse(null);
        if (found == null) {
            return;
        }
        doubt(leads.epoch(), found);
        found.forEach(life::heard);
        Set<String> names = found.stream().map(Run::name).collect(Collectors.toSet());
        expected.stream().filter(name -> !names.contains(name)).forEach(name -> life.heard(lost(name)));
        clean(found);
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

    /** Runs that no task waits for: forgotten when they are over, ended when they are still not known after a while. */
    private void clean(List<Run> found) {
        Map<String, Run> byName = found.stream().collect(Collectors.toMap(Run::name, run -> run, (one, other) -> one));
        List<String> over = byName.isEmpty()
                ? List.of()
                : tasks.over(List.copyOf(byName.keySet())).await();
        strangers.keySet().retainAll(new HashSet<>(over));
        for (String name : over) {
            Run run = Objects.requireNonNull(byName.get(name));
            long age = System.nanoTime() - strangers.computeIfAbsent(name, first -> System.nanoTime());
            if (age < GRACE.toNanos()) {
                continue;
            }
            if (run.isOver()) {
                engine.remove(name).await();
                life.forgotten(name);
            } else {
                log.log(Level.WARNING, "run={0} stranger=stopped", name);
                engine.stop(name, Duration.ofSeconds(10)).await();
            }
        }
    }
}
