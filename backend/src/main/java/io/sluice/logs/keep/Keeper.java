package io.sluice.logs.keep;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.jobs.Jobs;
import io.sluice.logs.Logs;
import io.sluice.logs.files.LogFile;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Looks after logs on two threads of its own: one notes how running ones grow, the other compresses and deletes finished ones. */
public final class Keeper {
    private static final System.Logger LOG = System.getLogger(Keeper.class.getName());
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration TIDY = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    /** A task's end is stored with the time at which it ended, which is a little before: nobody comes later than this. */
    private static final Duration LATE = Duration.ofMinutes(10);

    private static final int AT_ONCE = 1_000;
    private static final int MOST_KNOWN = 100_000;

    private final Jobs jobs;
    private final LogStore store;
    private final Logs.Settings settings;
    private final KeepMetrics metrics;
    private final Growth growth;
    private final Disk disk;
    private volatile boolean closed;
    private @Nullable Instant taken;
    private final Set<Long> known = new HashSet<>();

    private Keeper(Jobs jobs, LogStore store, Logs.Settings settings, KeepMetrics metrics, Disk disk) {
        this.jobs = jobs;
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.disk = disk;
        this.growth = new Growth(settings.limit(), disk, metrics);
    }

    /** Reads files; what it keeps is that of the gateway whose data folder this is. */
    public static Keeper open(Jobs jobs, Database database, Logs.Settings settings, CollectorRegistry registry)
            throws IOException {
        // as the jobs room has named it
        String gateway = Files.readString(settings.data().resolve("gateway"));
        return new Keeper(
                jobs, new LogStore(database, gateway), settings, new KeepMetrics(registry), Disk.open(settings.data()));
    }

    public void start() {
        Thread.ofVirtual().name("log-growth").start(() -> repeat(LOOK, "growth", this::look));
        Thread.ofVirtual().name("log-keeper").start(() -> repeat(TIDY, "keeper", this::tidy));
    }

    public void close() {
        closed = true;
    }

    private interface Step {
        void run() throws Exception;
    }

    private void repeat(Duration pause, String name, Step step) {
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
            long until = System.nanoTime() + pause.toNanos();
            while (!closed && System.nanoTime() < until) {
                LockSupport.parkNanos(Math.min(until - System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(200)));
            }
        }
    }

    private void look() throws Exception {
        growth.look(await(jobs.printing()), System.currentTimeMillis(), this::printedSince);
    }

    private List<Output> printedSince(long time) throws IOException {
        try {
            return await(jobs.printed(Instant.ofEpochMilli(time), AT_ONCE));
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the database does not tell which tasks have ended", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** One round of looking after what has finished. */
    void tidy() throws Exception {
        takeIn();
        delete();
        pack();
    }

    /** Writes down what has ended since the last time. What is written twice stays as it was. */
    private void takeIn() throws Exception {
        Instant since = taken == null ? await(store.newest()) : taken;
        since = since.equals(Instant.EPOCH) ? since : since.minus(LATE);
        boolean more = true;
        while (more && !closed) {
            Instant last = since;
            List<Output> ended = await(jobs.printed(since, AT_ONCE));
            for (Output output : ended) {
                Instant completed = Objects.requireNonNull(output.completed());
                last = completed.isAfter(last) ? completed : last;
                takeIn(output, completed);
            }
            more = ended.size() == AT_ONCE && last.isAfter(since);
            since = last;
        }
        taken = since;
        if (known.size() > MOST_KNOWN) {
            known.clear();
        }
    }

    private void takeIn(Output output, Instant completed) throws Exception {
        LogFile file = new LogFile(output.file());
        if (known.add(output.task()) && file.exists()) {
            Instant launched = output.launched() == null ? completed : output.launched();
            file.finishedTimes(launched.toEpochMilli(), completed.toEpochMilli());
            await(store.add(new LogStore.Kept(output.task(), output.file(), completed, file.stored())));
        }
    }

    /** The oldest first: those that are too old, then as many as it takes. */
    private void delete() throws Exception {
        long stored = await(store.stored());
        Instant young = Instant.now().minus(settings.age());
        boolean more = true;
        while (more && !closed) {
            more = false;
            for (LogStore.Kept log : await(store.oldest(100))) {
                boolean old = log.completed().isBefore(young);
                if (!old && stored <= settings.total() && !disk.isScarce()) {
                    more = false;
                    break;
                }
                remove(log, old ? "age" : "space");
                stored -= log.stored();
                more = true;
            }
        }
        metrics.stored(stored);
    }

    private void remove(LogStore.Kept log, String reason) throws Exception {
        new LogFile(log.file()).delete(reason, System.currentTimeMillis());
        await(store.remove(log.task()));
        metrics.removed(reason);
        LOG.log(
                System.Logger.Level.INFO,
                "event=log-deleted task=" + log.task() + " reason=" + reason + " bytes=" + log.stored());
    }

    private void pack() throws Exception {
        for (LogStore.Kept log : await(store.toPack(Instant.now().minus(settings.settled()), 20))) {
            if (closed) {
                return;
            }
            LogFile file = new LogFile(log.file());
            try {
                if (file.compressed() == null && !file.pack(() -> !closed)) {
                    return;
                }
                metrics.packed();
            } catch (IOException e) {
                // as large as it was, it can still be read; it is tried again when the gateway starts anew
                metrics.trouble("pack");
                LOG.log(System.Logger.Level.WARNING, "event=log-not-compressed file=" + log.file(), e);
            }
            await(store.packed(log.task(), file.stored()));
        }
    }

    private static <T> T await(Future<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.toCompletionStage().toCompletableFuture().get(ANSWER.toSeconds(), TimeUnit.SECONDS);
    }
}
