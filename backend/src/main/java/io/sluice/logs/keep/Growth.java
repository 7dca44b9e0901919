package io.sluice.logs.keep;

import io.sluice.jobs.JobDetail.Output;
import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.TimeIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Notes how running logs grow, cuts those that grow too large, and what a full disk may have swallowed. One thread calls it. */
final class Growth {
    private static final System.Logger LOG = System.getLogger(Growth.class.getName());
    private static final long PAUSE_MILLIS = 1_500;

    /** A log at the time of the last look; of less than no bytes where there is no file yet. */
    private record Seen(LogFile file, long size, long at, long notedAt) {}

    private final Holes holes;
    private final Disk disk;
    private final KeepMetrics metrics;
    private final LongUnaryOperator read;
    private final Setbacks told = new Setbacks(Duration.ofMinutes(1));
    private Map<Long, Seen> seen = new HashMap<>();

    /** @param read how far somebody has read the log of a task already; 0: nobody */
    Growth(Holes holes, Disk disk, KeepMetrics metrics, LongUnaryOperator read) {
        this.holes = holes;
        this.disk = disk;
        this.metrics = metrics;
        this.read = read;
    }

    /** The logs of tasks that have ended since then. */
    interface Printed {
        List<Output> since(long time) throws IOException;
    }

    void look(List<Output> printing, long now, Printed printed) throws IOException {
        Map<Long, Seen> found = new HashMap<>();
        for (Output output : printing) {
            long launched = output.launched() == null ? now : output.launched().toEpochMilli();
            found.put(output.task(), look(output.task(), new LogFile(output.file()), launched, now));
        }
        Set<Long> over =
                seen.keySet().stream().filter(task -> !found.containsKey(task)).collect(Collectors.toSet());
        for (long task : over) {
            Seen last = Objects.requireNonNull(seen.get(task));
            look(task, last.file(), now, now); // what it printed since the last look
        }
        var outage = disk.look(now, !printing.isEmpty());
        if (outage.isPresent()) {
            Set<LogFile> struck = new LinkedHashSet<>();
            found.values().forEach(log -> struck.add(log.file()));
            over.forEach(
                    task -> struck.add(Objects.requireNonNull(seen.get(task)).file()));
            printed.since(outage.get().from()).forEach(output -> struck.add(new LogFile(output.file())));
            for (LogFile file : struck) {
                alone(file, () -> strike(file, outage.get()));
            }
            disk.over(outage.get());
            metrics.trouble("disk_full");
        }
        seen = found;
    }

    private interface Step {
        void run() throws IOException;
    }

    /** What fails of one log keeps no other from being looked at; a full disk is all logs' affair. */
    private void alone(LogFile file, Step step) throws IOException {
        try {
            step.run();
        } catch (IOException e) {
            metrics.trouble("log");
            LOG.log(System.Logger.Level.WARNING, "event=log-not-looked-at file=" + file.plain(), e);
        }
    }

    /** Whatever may have printed while the disk was full may lack something, also if it has ended since. */
    private static void strike(LogFile file, Disk.Outage outage) throws IOException {
        if (!file.exists() || file.gone().isPresent()) {
            return;
        }
        // by a gateway that was killed while it wrote them down
        if (file.gaps().all().stream().anyMatch(gap -> gap.at() == outage.from())) {
            return;
        }
        try (Bytes log = file.open()) {
            long size = log.size();
            file.gaps().add(new Gaps.Gap(size, size, Gaps.DISK_FULL, outage.from(), outage.to()));
        }
    }

    private Seen look(long task, LogFile file, long launched, long now) throws IOException {
        Seen before = seen.get(task);
        try {
            boolean first = before == null || before.size() < 0;
            // before the size, which grows meanwhile
            long known = Math.max(before == null || first ? noted(file) : before.size(), read.applyAsLong(task));
            long size = size(file);
            if (size < 0 || file.gone().isPresent()) {
                return new Seen(file, -1, now, now);
            }
            if (size < known) {
                holes.emptied(file, known, now);
                size = size(file);
            }
            long noted = before == null || first ? first(file, size, launched) : note(file, before, size, now);
            holes.make(file, size, now, first);
            return new Seen(file, size, now, noted);
        } catch (IOException e) {
            if (!disk.isFull(e, now)) {
                broken(task, file, e, now);
            }
            // seen as before: what has grown since is noted at the next look
            return before == null ? new Seen(file, -1, now, now) : before;
        }
    }

    /** It is looked at each second, and told once a minute. */
    private void broken(long task, LogFile file, IOException failure, long now) {
        metrics.trouble("log");
        if (!told.at(now).contains(task)) {
            told.add(task, now);
            LOG.log(System.Logger.Level.WARNING, "event=log-not-looked-at file=" + file.plain(), failure);
        }
    }

    private static long noted(LogFile file) throws IOException {
        TimeIndex.@Nullable Point last = file.times().last();
        return last == null ? 0 : last.offset();
    }

    private static long size(LogFile file) throws IOException {
        try {
            return Files.size(file.plain());
        } catch (NoSuchFileException notYet) {
            return -1;
        }
    }

    /** What was printed while no gateway looked ends when the file was last written. */
    private static long first(LogFile file, long size, long launched) throws IOException {
        TimeIndex.@Nullable Point last = file.times().last();
        if (last == null) {
            file.times().note(0, launched);
        }
        long written = Files.getLastModifiedTime(file.plain()).toMillis();
        if (size > (last == null ? 0 : last.offset())) {
            file.times().note(size, written);
        }
        return written;
    }

    private static long note(LogFile file, Seen before, long size, long now) throws IOException {
        if (size == before.size()) {
            return before.notedAt();
        }
        if (before.at() - before.notedAt() > PAUSE_MILLIS) {
            file.times().note(before.size(), before.at()); // a pause ends here
        }
        file.times().note(size, now);
        return now;
    }
}
