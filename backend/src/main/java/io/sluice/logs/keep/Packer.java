package io.sluice.logs.keep;

import static io.sluice.logs.keep.Patience.await;

import io.sluice.logs.Logs;
import io.sluice.logs.files.LogFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

/** Compresses finished logs. */
final class Packer {
    private static final System.Logger LOG = System.getLogger(Packer.class.getName());
    private static final int AT_ONCE = 20;

    private final LogStore store;
    private final Logs.Settings settings;
    private final KeepMetrics metrics;
    private final Setbacks setbacks;

    Packer(LogStore store, Logs.Settings settings, KeepMetrics metrics, Duration pause) {
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.setbacks = new Setbacks(pause);
    }

    void run(BooleanSupplier goOn) throws Exception {
        var now = Instant.now();
        var logs = await(store.toPack(now.minus(settings.settled()), setbacks.at(now.toEpochMilli()), AT_ONCE));
        for (LogStore.Kept log : logs) {
            LogFile file = new LogFile(log.file());
            try {
                if (file.compressed() == null && file.exists() && !file.pack(goOn, settings.instants())) {
                    return;
                }
                await(store.packed(log.task(), file.stored()));
                metrics.packed();
            } catch (IOException e) {
                // as large as it was, it can still be read
                setbacks.add(log.task(), System.currentTimeMillis());
                metrics.trouble("pack");
                LOG.log(System.Logger.Level.WARNING, "event=log-not-compressed file=" + log.file(), e);
            }
        }
    }
}
