package io.sluice.logs.keep;

import static io.sluice.logs.keep.Patience.await;

import io.sluice.jobs.JobDetail.Output;
import io.sluice.logs.files.LogFile;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes finished logs in for keeping, and learns when their jobs have ended. */
final class Intake {
    private static final System.Logger LOG = System.getLogger(Intake.class.getName());
    /** A task's end is stored with the time at which it ended, which is a little before: nobody comes later than this. */
    private static final Duration LATE = Duration.ofMinutes(10);

    private static final int AT_ONCE = 1_000;
    private static final int MOST_KNOWN = 100_000;

    /** What is known of jobs. */
    interface Ended {
        /** Outputs that nothing will be added to, of tasks that ended later than that, or then and with a higher number, in that order. */
        Future<List<Output>> outputs(Instant since, long after, int most);

        /** Which of these jobs have ended, and when. */
        Future<Map<Long, Instant>> jobs(Collection<Long> jobs);
    }

    private final Ended ended;
    private final LogStore store;
    private final KeepMetrics metrics;
    private final Set<Long> known = new HashSet<>();
    private @Nullable Instant taken;

    Intake(Ended ended, LogStore store, KeepMetrics metrics) {
        this.ended = ended;
        this.store = store;
        this.metrics = metrics;
    }

    /** Writes down what has ended since the last time. What is written twice stays as it was. */
    void run() throws Exception {
        Instant since = taken == null ? await(store.newest()) : taken;
        since = since.equals(Instant.EPOCH) ? since : since.minus(LATE);
        long after = 0; // any number of tasks may have ended at one time
        boolean more = true;
        while (more) {
            List<Output> outputs = await(ended.outputs(since, after, AT_ONCE));
            for (Output output : outputs) {
                since = Objects.requireNonNull(output.completed());
                after = output.task();
                take(output, since);
            }
            more = outputs.size() == AT_ONCE;
        }
        taken = since;
        if (known.size() > MOST_KNOWN) {
            known.clear();
        }
        settle();
    }

    /** Known only once it is stored: where the database fails it comes again. */
    private void take(Output output, Instant completed) throws Exception {
        LogFile file = new LogFile(output.file());
        if (known.contains(output.task())) {
            return;
        }
        if (file.exists()) {
            await(store.add(new LogStore.Kept(
                    output.task(), output.job(), output.file(), completed, null, finish(file, output, completed))));
        }
        known.add(output.task());
    }

    /** The answer is what it takes of the disk, as far as that can be told: a log that can not be looked at is kept like any other. */
    private long finish(LogFile file, Output output, Instant completed) {
        Instant launched = output.launched() == null ? completed : output.launched();
        try {
            file.finishedTimes(launched.toEpochMilli(), completed.toEpochMilli());
            return file.stored();
        } catch (IOException e) {
            metrics.trouble("intake");
            LOG.log(System.Logger.Level.WARNING, "event=log-not-measured file=" + output.file(), e);
            return 0;
        }
    }

    /** Which jobs have ended by now. */
    private void settle() throws Exception {
        List<Long> running = await(store.running(0, AT_ONCE));
        while (!running.isEmpty()) {
            Map<Long, Instant> over = await(ended.jobs(running));
            if (!over.isEmpty()) {
                await(store.ended(over));
            }
            running = await(store.running(running.getLast(), AT_ONCE));
        }
    }
}
