package io.sluice.logs.keep;

import io.prometheus.client.CollectorRegistry;
import io.sluice.jobs.JobDetail.Output;
import io.sluice.jobs.life.Failpoint;
import io.sluice.logs.files.Instants;
import io.sluice.logs.files.LogFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** What a gateway does with one log, in a process that dies of it: the folder, the instant, and what is to be done. */
final class KilledKeeper {
    private KilledKeeper() {}

    public static void main(String[] words) throws Exception {
        Path folder = Path.of(words[0]);
        Instants instants = Failpoint.of(words[1])::pass;
        var log = new LogFile(folder.resolve("a.log"));
        switch (words[2]) {
            case "pack" -> log.pack(() -> true, instants);
            case "delete" -> log.delete("age", 5, instants);
            default -> cut(log, folder, instants);
        }
    }

    static void cut(LogFile log, Path folder, Instants instants) throws Exception {
        var metrics = new KeepMetrics(new CollectorRegistry());
        Disk disk = Disk.open(folder);
        new Growth(new Holes(18L << 20, disk, metrics, instants), disk, metrics, task -> 0)
                .look(
                        List.of(new Output(1, 1, log.plain(), Instant.ofEpochMilli(500), null, null)),
                        1_000,
                        since -> List.of());
    }
}
