package io.sluice.jobs.life;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.engines.Engine;
import io.sluice.engines.Subscription;
import io.sluice.files.Files;
import io.sluice.jobs.Folders;
import io.sluice.jobs.data.Transfers;
import io.sluice.jobs.images.Images;
import io.sluice.jobs.images.TaskImages;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Placement;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.release.Releases;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The loop of the gateway that leads: who gets machines, what is due, what has run too long. It is woken by a ring, and looks every second
 * all the same. Each step has its own catch, so that a fault in one does not silence the others.
 */
public final class Scheduler {
    private static final Logger log = System.getLogger(Scheduler.class.getName());
    private static final Duration TERM = Duration.ofSeconds(10);
    private static final long STAY_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long TICK_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long SHORT_NANOS = Duration.ofMillis(10).toNanos();
    private static final int REST = 3;
    private static final long RECONCILE_NANOS = Duration.ofSeconds(30).toNanos();

    private final String owner;
    private final EngineLine line;
    private final LifeStore jobs;
    private final QueueStore queueStore;
    private final Queue queue;
    private final Life life;
    private final Reconciler reconciler;
    private final LifeMetrics metrics;
    private final Subscription watch;
    private final Semaphore bell = new Semaphore(0);
    private final AtomicBoolean reconciling = new AtomicBoolean();
    private final RunTime runTime = new RunTime();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closed;
    private volatile LifeStore.@Nullable Leadership leadership;
    private volatile long ticked = System.nanoTime() - TICK_NANOS;
    private volatile long reconciled;
    private long stayed;

    /**
     * @param gateway which of those that share the database this is, the same after a restart
     * @param secrets opens what is sealed, for its holder
     * @param seen is told when jobs look different
     */
    public Scheduler(
            String gateway,
            Database database,
            Engine engine,
            Releases releases,
            Folders folders,
            Files files,
            Transfers transfers,
            BiFunction<Buffer, String, Map<String, String>> secrets,
            Runnable seen,
            Failpoint failpoint,
            EngineLine.Patience patience,
            CollectorRegistry registry) {
        var taskStore = new TaskStore(database);
        this.owner = gateway;
        this.jobs = new LifeStore(database);
        this.queueStore = new QueueStore(database);
        this.metrics = new LifeMetrics(registry);
        this.line = new EngineLine(engine, patience, metrics);
        var launch = new Launch(taskStore, folders, files, new TaskImages(new Images(database)), secrets);
        this.life = new Life(jobs, taskStore, line, launch, transfers, failpoint, metrics, this::ring, seen);
        this.queue =
                new Queue(queueStore, jobs, taskStore, line, releases, launch, folders.links(), life, metrics, seen);
        this.reconciler = new Reconciler(line, jobs, taskStore, life, folders.gangs(), transfers, seen);
        this.watch = engine.watch(life::heard);
    }

    public void start() {
        Thread.ofVirtual().name("scheduler").start(this::loop);
    }

    /** Something is to be done. Cheap, and callable from any thread. */
    public void ring() {
        bell.release();
    }

    public boolean leads() {
        return leadership != null;
    }

    /** What the queue counts a job as. */
    public static List<Demand.Role> demand(JobSpec spec) {
        return Launch.demand(spec);
    }

    /** What would become of a job that came now. */
    public Future<Placement.Fit> fit(String user, JobSpec spec) {
        return queue.fit(user, spec);
    }

    /** Machines, who has them, and the queue. */
    public Future<Snapshot> snapshot() {
        return queue.snapshot();
    }

    /** Why a job waits, as of the last pass; only where this gateway leads. */
    public Optional<Waiting> waiting(long job) {
        return queue.waiting(job);
    }

    private void loop() {
        while (!closed) {
            long began = System.nanoTime();
            boolean tick = System.nanoTime() - ticked >= TICK_NANOS;
            if (tick) {
                ticked = System.nanoTime();
                step("lead", this::lead);
            }
            var leads = leadership;
            if (leads != null) {
                work(leads, tick);
            }
            rest(System.nanoTime() - began);
        }
        ended.complete();
    }

    private void work(LifeStore.Leadership leads, boolean tick) {
        if (tick) {
            step("due", () -> jobs.requeueDue().await());
            step("time", () -> time(leads.epoch()));
            if (line.away().isEmpty()) {
                step("again", life::retryFailed);
            }
            reconcile(leads, line.isDoubtful());
        }
        step("queue", queue::follow);
        if (line.away().isEmpty()) {
            step("pass", () -> queue.pass(leads));
        }
    }

    /** Until something rings, or the next tick; after long work so long that a crowd of rings takes a quarter of a processor at most. */
    private void rest(long worked) {
        try {
            if (worked > SHORT_NANOS) {
                TimeUnit.NANOSECONDS.sleep(Math.clamp(REST * queue.thought(), SHORT_NANOS, TICK_NANOS));
            }
            long left = TICK_NANOS - (System.nanoTime() - ticked);
            if (bell.tryAcquire(Math.max(left, 0), TimeUnit.NANOSECONDS)) {
                bell.drainPermits();
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private void step(String name, Runnable work) {
        try {
            work.run();
        } catch (Throwable e) { // nothing may end the loop: jobs would wait for ever
            if (!closed) {
                metrics.failed(name);
                log.log(Level.WARNING, "scheduler_step={0} failed=\"{1}\"", name, String.valueOf(e));
            }
        }
    }

    private void lead() {
        var leads = leadership;
        if (leads != null && System.nanoTime() - stayed < STAY_NANOS) {
            return;
        }
        stayed = System.nanoTime();
        if (leads != null && jobs.stay(owner, leads.epoch(), TERM).await()) {
            return;
        }
        follow();
        jobs.lead(owner, TERM).await().ifPresent(this::begin);
    }

    private void follow() {
        if (leadership != null) {
            log.log(Level.WARNING, "leader=lost owner={0}", owner);
        }
        leadership = null;
        metrics.leading(false);
        life.lead(0);
        queue.forget();
        runTime.forget();
    }

    private void begin(LifeStore.Leadership leads) {
        jobs.adopt(leads.epoch()).await();
        life.lead(leads.epoch());
        leadership = leads;
        metrics.leading(true);
        log.log(Level.INFO, "leader=begins owner={0} epoch={1}", owner, leads.epoch());
        reconcile(leads, true);
    }

    /** Off this thread: an engine may take its time, and the queue is not to wait for it. */
    private void reconcile(LifeStore.Leadership leads, boolean now) {
        boolean due = now || System.nanoTime() - reconciled >= RECONCILE_NANOS;
        if (due && reconciling.compareAndSet(false, true)) {
            reconciled = System.nanoTime();
            Thread.ofVirtual().name("reconciler").start(() -> {
                try {
                    step("adopt", () -> jobs.adopt(leads.epoch()).await());
                    step("reconcile", () -> reconciler.run(leads));
                    step("touch", () -> queue.active().await().forEach(life::touch));
                } finally {
                    reconciling.set(false);
                }
            });
        }
    }

    /** Counts the time that limited jobs have run by this machine's own measure: no clock that is set ends a job. */
    private void time(long epoch) {
        Map<Long, Duration> more = runTime.since(queueStore.limited().await(), System.nanoTime());
        if (!more.isEmpty()) {
            jobs.ran(epoch, more).await().forEach(life::touch);
        }
    }

    /** Since when this gateway has watched each job that may not run for ever. Of what it did not watch as the leader it knows nothing. */
    static final class RunTime {
        private final Map<Long, Long> watched = new HashMap<>();

        /** How long each has run since it was asked for last. */
        Map<Long, Duration> since(List<Long> jobs, long now) {
            watched.keySet().retainAll(Set.copyOf(jobs));
            Map<Long, Duration> more = new HashMap<>();
            for (Long job : jobs) {
                Long before = watched.put(job, now);
                if (before != null) {
                    more.put(job, Duration.ofNanos(now - before));
                }
            }
            return more;
        }

        void forget() {
            watched.clear();
        }
    }

    /** Ends after the step that is under way; the next gateway need not wait for the end of the term. */
    public Future<Void> close() {
        closed = true;
        watch.cancel();
        life.lead(0);
        ring();
        var leads = leadership;
        return ended.future()
                .timeout(2, TimeUnit.SECONDS)
                .transform(over -> leads == null
                        ? Future.succeededFuture()
                        : jobs.resign(owner, leads.epoch()).mapEmpty());
    }
}
