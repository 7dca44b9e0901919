package io.sluice.logs.keep;

import static io.sluice.logs.keep.Patience.await;

import io.sluice.logs.Logs;
import io.sluice.logs.files.LogFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Deletes logs of jobs that have ended, those first that ended first: what is too old, then as many as it takes. */
final class Retention {
    private static final System.Logger LOG = System.getLogger(Retention.class.getName());
    private static final int AT_ONCE = 100;

    private final Intake.Ended ended;
    private final LogStore store;
    private final Logs.Settings settings;
    private final KeepMetrics metrics;
    private final Disk disk;
    private final Setbacks setbacks;

    Retention(
            Intake.Ended ended,
            LogStore store,
            Logs.Settings settings,
            KeepMetrics metrics,
            Disk disk,
            Duration pause) {
        this.ended = ended;
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.disk = disk;
        this.setbacks = new Setbacks(pause);
    }

    void run(BooleanSupplier goOn) throws Exception {
        long stored = await(store.stored());
        LogStore.@Nullable Kept last =
                null; // each once: of more that can not be deleted than setbacks remember there would be no end
        boolean more = true;
        while (more && goOn.getAsBoolean()) {
            var oldest = await(store.oldest(setbacks.at(System.currentTimeMillis()), last, AT_ONCE));
            more = !oldest.isEmpty();
            last = more ? oldest.getLast() : last;
            for (LogStore.Kept log : stillOver(oldest)) {
                String reason = reason(log, stored);
                if (reason == null) {
                    more = false;
                    break;
                }
                stored -= remove(log, reason) ? log.stored() : 0;
            }
        }
        metrics.stored(stored);
    }

    /** A job that had ended may have been started again. */
    private List<LogStore.Kept> stillOver(List<LogStore.Kept> logs) throws Exception {
        Set<Long> jobs = logs.stream().map(LogStore.Kept::job).collect(Collectors.toSet());
        Map<Long, Instant> over = jobs.isEmpty() ? Map.of() : await(ended.jobs(jobs));
        Set<Long> resumed = new HashSet<>(jobs);
        resumed.removeAll(over.keySet());
        if (!resumed.isEmpty()) {
            await(store.resumed(resumed));
        }
        List<LogStore.Kept> left = new ArrayList<>(logs);
        left.removeIf(log -> resumed.contains(log.job()));
        return left;
    }

    private @Nullable String reason(LogStore.Kept log, long stored) throws IOException {
        Instant young = Instant.now().minus(settings.age());
        if (log.ended() != null && log.ended().isBefore(young)) {
            return "age";
        }
        return stored > settings.total() || disk.isScarce() ? "space" : null;
    }

    /** One that can not be deleted keeps no other. */
    private boolean remove(LogStore.Kept log, String reason) throws Exception {
        try {
            new LogFile(log.file()).delete(reason, System.currentTimeMillis(), settings.instants());
        } catch (IOException e) {
            setbacks.add(log.task(), System.currentTimeMillis());
            metrics.trouble("delete");
            LOG.log(System.Logger.Level.WARNING, "event=log-not-deleted file=" + log.file(), e);
            return false;
        }
        await(store.remove(log.task()));
        metrics.removed(reason);
        LOG.log(
                System.Logger.Level.INFO,
                "event=log-deleted job=" + log.job() + " task=" + log.task() + " reason=" + reason + " bytes="
                        + log.stored());
        return true;
    }
}
