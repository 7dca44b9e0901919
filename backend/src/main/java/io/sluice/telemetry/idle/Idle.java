package io.sluice.telemetry.idle;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.sluice.telemetry.observe.Observation;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The door to idle jobs: warns, lets them be kept, and stops or puts back those that nobody wants to keep. */
public final class Idle {
    private static final System.Logger LOG = System.getLogger(Idle.class.getName());
    private static final Duration PAUSE = Duration.ofSeconds(15);
    private static final Duration ANSWER = Duration.ofSeconds(3);
    /** From then on it is written down. */
    private static final Duration LEAST = Duration.ofMinutes(1);

    private final Jobs jobs;
    private final IdleStore store;
    private final Lulls lulls = new Lulls();
    private final Activity activity;
    private final IdleMetrics metrics;
    private final Runnable told;
    /** Jobs of which it is known what was seen before. */
    private final Set<Long> continued = new HashSet<>();

    /** Jobs with tasks; null until anything was seen. */
    private volatile @Nullable Set<Long> present;

    private volatile boolean closed;
    private Instant written = Instant.MIN;
    private @Nullable Thread thread;

    /**
     * @param used when somebody was at jobs' endpoints last
     * @param told is run when there is something to be told
     */
    public Idle(
            Database database,
            Jobs jobs,
            CollectorRegistry registry,
            Function<Collection<Long>, Future<Map<Long, Instant>>> used,
            Runnable told) {
        this.jobs = jobs;
        this.store = new IdleStore(database);
        this.activity = new Activity(jobs, used);
        this.metrics = new IdleMetrics(registry);
        this.told = told;
    }

    /** One round of looking at everything. It waits for nobody. */
    public void take(Observation seen) {
        present = seen.tasks().stream().map(doing -> doing.holder().job()).collect(Collectors.toUnmodifiableSet());
        lulls.take(seen);
    }

    public void start() {
        thread = Thread.ofVirtual().name("telemetry-idle").start(this::repeat);
    }

    private void repeat() {
        while (!closed) {
            try {
                look(Instant.now());
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                metrics.failed();
                if (!closed) {
                    LOG.log(System.Logger.Level.WARNING, "event=idle-not-looked cause=" + e + " effect=tried again");
                }
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Nothing is done on what is not known, and nothing twice: each step says whether it was ours. */
    void look(Instant now) throws Exception {
        Map<String, IdleRule> rules = new HashMap<>();
        for (Cluster cluster : await(jobs.clusters().all())) {
            IdleRule rule = cluster.idle();
            if (rule != null) {
                rules.put(cluster.name(), rule);
            }
        }
        lulls.rules(rules);
        Map<Long, Warning> known =
                await(store.all()).stream().collect(Collectors.toMap(Warning::job, Function.identity()));
        forget(known.values(), now);
        if (rules.isEmpty()) {
            for (Warning warning : known.values()) {
                lift(warning);
            }
            return;
        }
        List<Lulls.Job> seen = seen(known);
        write(seen, known, rules, now);
        List<Lulls.Job> asked = seen.stream()
                .filter(job -> isQuiet(job, rules) || isWarned(known.get(job.id()), job))
                .toList();
        Map<Long, Instant> active = asked.isEmpty() ? Map.of() : activity.of(asked, rules);
        for (Lulls.Job job : asked) {
            Instant last = active.get(job.id());
            if (last != null) {
                decide(job, Objects.requireNonNull(rules.get(job.cluster())), known.get(job.id()), last, now);
            }
        }
        for (Warning warning : known.values()) {
            if (!rules.containsKey(warning.cluster())) {
                lift(warning);
            }
        }
    }

    /** What was seen before this gateway looked belongs to it. */
    private List<Lulls.Job> seen(Map<Long, Warning> known) {
        List<Lulls.Job> seen = lulls.jobs();
        continued.retainAll(seen.stream().map(Lulls.Job::id).toList());
        boolean news = false;
        for (Lulls.Job job : seen) {
            Warning before = known.get(job.id());
            if (continued.add(job.id()) && before != null && before.attempt() == job.attempt()) {
                lulls.continues(
                        job.id(),
                        job.attempt(),
                        Duration.ofMillis(before.quietMillis()),
                        before.level(),
                        before.seen());
                news = true;
            }
        }
        return news ? lulls.jobs() : seen;
    }

    private static boolean isQuiet(Lulls.Job job, Map<String, IdleRule> rules) {
        return job.quiet()
                        .compareTo(Duration.ofMinutes(
                                Objects.requireNonNull(rules.get(job.cluster())).minutes()))
                >= 0;
    }

    private static boolean isWarned(@Nullable Warning warning, Lulls.Job job) {
        return warning != null && warning.warned() != null && warning.attempt() == job.attempt();
    }

    private void forget(Collection<Warning> known, Instant now) throws Exception {
        Set<Long> here = present;
        if (here != null && known.stream().anyMatch(warning -> !here.contains(warning.job()))) {
            await(store.gone(here, now));
        }
        metrics.stand(
                known.stream()
                        .filter(one -> one.warned() == null && !one.isKept(now))
                        .count(),
                known.stream()
                        .filter(one -> one.warned() != null && one.done() == null)
                        .count(),
                known.stream().filter(one -> one.isKept(now)).count());
    }

    /** Once a minute, and at once where a warning is near. */
    private void write(List<Lulls.Job> seen, Map<Long, Warning> known, Map<String, IdleRule> rules, Instant now)
            throws Exception {
        boolean due = written.isBefore(now.minus(LEAST));
        List<Lulls.Job> news = seen.stream()
                .filter(job -> job.quiet().compareTo(LEAST) >= 0)
                .filter(job -> due || (isQuiet(job, rules) && !known.containsKey(job.id())))
                .toList();
        List<Long> busy = seen.stream()
                .filter(job -> job.quiet().compareTo(LEAST) < 0 && job.isFresh(now))
                .filter(job -> job.active().isAfter(now.minus(LEAST)))
                .map(Lulls.Job::id)
                .filter(known::containsKey)
                .toList();
        if (!news.isEmpty()) {
            await(store.watch(news));
        }
        if (!busy.isEmpty()) {
            await(store.forget(busy, now));
        }
        if (due) {
            written = now;
        }
    }

    private void decide(Lulls.Job job, IdleRule rule, @Nullable Warning known, Instant active, Instant now)
            throws Exception {
        Duration window = Duration.ofMinutes(rule.minutes());
        boolean idle = job.isFresh(now) && job.quiet().compareTo(window) >= 0 && !active.isAfter(now.minus(window));
        if (known == null || known.warned() == null || known.attempt() != job.attempt()) {
            boolean kept = known != null && known.attempt() == job.attempt() && known.isKept(now);
            if (idle && !kept && await(store.warn(job, rule, now, Told.warning(job, rule, now)))) {
                metrics.done("warned");
                told.run();
            }
        } else if (active.isAfter(known.warned())) {
            lift(known);
        } else if (idle && known.isDue(now)) {
            act(known, now);
        }
    }

    private void lift(Warning warning) throws Exception {
        if (warning.warned() != null && await(store.lift(warning))) {
            metrics.done("lifted");
            await(jobs.idling().over(warning.job(), warning.attempt()));
        }
    }

    private void act(Warning warning, Instant now) throws Exception {
        if (!await(store.act(warning, now))) {
            return;
        }
        long minutes = Math.max(
                warning.minutes(),
                warning.minutes()
                        + Duration.between(Objects.requireNonNull(warning.warned()), now)
                                .toMinutes());
        boolean news = warning.then() == Then.STOP
                ? await(jobs.idling().stop(warning.job(), warning.attempt(), minutes))
                : await(jobs.idling().requeue(warning.job(), warning.attempt(), minutes));
        if (news) {
            metrics.done(warning.then() == Then.STOP ? "stopped" : "requeued");
        }
    }

    /** How a job stands; empty where nothing is to be said of it. */
    public Future<Optional<Warning>> of(long job, int attempt) {
        return store.of(List.of(job))
                .map(found -> found.stream()
                        .filter(warning -> warning.attempt() == attempt)
                        .findFirst());
    }

    /** Lets it be for the hours of its rule; false where it was not warned, or is being stopped already. */
    public Future<Boolean> keep(long job, String by, Instant now) {
        return store.keep(job, now, by).compose(kept -> {
            if (kept.isEmpty()) {
                return Future.succeededFuture(false);
            }
            metrics.done("kept");
            return jobs.idling()
                    .kept(job, kept.getFirst().attempt(), by, kept.getFirst().hours())
                    .map(true);
        });
    }

    static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    }

    public void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
