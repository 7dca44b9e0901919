package io.sluice.logs.keep;

import static io.sluice.logs.keep.Patience.await;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.jobs.Jobs;
import io.sluice.logs.Logs;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/** Looks after logs on two threads of its own: one notes how running ones grow, the other compresses and deletes finished ones. */
public final class Keeper {
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());
    private static final Duration LOOK = Duration.ofSeconds(1);
    /** Between two looks at a disk that will soon be full. */
    private static final Duration GLANCE = Duration.ofMillis(20);

    private static final Duration DOZE = Duration.ofMillis(200);
    private static final Duration TIDY = Duration.ofSeconds(10);
    /** After which a log is tried again that could not be deleted or compressed. */
    private static final Duration SETBACK = Duration.ofMinutes(10);

    private static final int AT_ONCE = 1_000;

    private final Jobs jobs;
    private final KeepMetrics metrics;
    private final Disk disk;
    private final Holes holes;
    private final Intake intake;
    private final Retention retention;
    private final Packer packer;
    private volatile boolean closed;

    Keeper(Jobs jobs, LogStore store, Logs.Settings settings, KeepMetrics metrics, Disk disk) {
        this.jobs = jobs;
        this.metrics = metrics;
        this.disk = disk;
        this.holes = new Holes(settings.limit(), disk, metrics, settings.instants());
        var ended = new Told(jobs);
        this.intake = new Intake(ended, store, metrics);
        this.retention = new Retention(ended, store, settings, metrics, disk, SETBACK);
        this.packer = new Packer(store, settings, metrics, SETBACK);
    }

    /** Reads files; what it keeps is that of the gateway whose data folder this is. */
    public static Keeper open(Jobs jobs, Database database, Logs.Settings settings, CollectorRegistry registry)
            throws IOException {
        // as the jobs room has named it
        String gateway = Files.readString(settings.data().resolve("gateway"));
        return new Keeper(
                jobs, new LogStore(database, gateway), settings, new KeepMetrics(registry), Disk.open(settings.data()));
    }

    /** @param read how far somebody has read the log of a task already; 0: nobody */
    public void start(LongUnaryOperator read) {
        var growth = new Growth(holes, disk, metrics, read);
        Thread.ofVirtual().name("log-growth").start(() -> repeat(LOOK, "growth", () -> look(growth), this::glance));
        Thread.ofVirtual().name("log-keeper").start(() -> repeat(TIDY, "keeper", this::tidy, () -> DOZE));
    }

    public void close() {
        closed = true;
    }

    private interface Step {
        void run() throws Exception;
    }

    private interface Between {
        Duration run() throws IOException;
    }

    private void repeat(Duration pause, String name, Step step, Between between) {
        while (!closed) {
            try {
                step.run();
            } catch (Exception e) {
                metrics.trouble(name);
                if (!closed) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "event=log-keeping-failed step={0} cause={1} effect=tried again in {2}",
                            name,
                            e.toString(),
                            pause);
                }
            }
            rest(pause, name, between);
        }
    }

    private void rest(Duration pause, String name, Between between) {
        long until = System.nanoTime() + pause.toNanos();
        while (!closed && System.nanoTime() < until) {
            Duration nap = DOZE;
            try {
                nap = between.run();
            } catch (IOException e) {
                metrics.trouble(name);
                LOG.log(System.Logger.Level.WARNING, "event=log-keeping-failed step=" + name + " between", e);
            }
            LockSupport.parkNanos(Math.min(until - System.nanoTime(), nap.toNanos()));
        }
    }

    private void look(Growth growth) throws Exception {
        growth.look(await(jobs.printing()), System.currentTimeMillis(), this::printedSince);
    }

    /** Meanwhile. The answer is how long not to look again. */
    private Duration glance() throws IOException {
        if (!disk.isTight()) {
            return DOZE;
        }
        disk.glance(System.currentTimeMillis());
        return GLANCE;
    }

    private List<Output> printedSince(long time) throws IOException {
        try {
            return await(jobs.printed(Instant.ofEpochMilli(time), 0, AT_ONCE));
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the database does not tell which tasks have ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** One round of looking after what has finished. */
    void tidy() throws Exception {
        intake.run();
        retention.run(() -> !closed);
        packer.run(() -> !closed);
    }

    private static final class Told implements Intake.Ended {
        private final Jobs jobs;

        Told(Jobs jobs) {
            this.jobs = jobs;
        }

        @Override
        public Future<List<Output>> outputs(Instant since, long after, int most) {
            return jobs.printed(since, after, most);
        }

        @Override
        public Future<Map<Long, Instant>> jobs(Collection<Long> asked) {
            return jobs.ends(asked);
        }
    }
}
