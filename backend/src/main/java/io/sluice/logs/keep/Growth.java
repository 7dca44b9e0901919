package io.sluice.logs.keep;

import io.sluice.jobs.JobDetail.Output;
import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.TimeIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Notes how running logs grow, cuts those that grow too large, and what a full disk may have swallowed. One thread calls it. */
final class Growth {
    private static final System.Logger LOG = System.getLogger(Growth.class.getName());
    /** Of a log that is too large its beginning stays. */
    static final long HEAD = 16L << 20;

    private static final long SLACK = 16L << 20;
    private static final long PAUSE_MILLIS = 1_500;

    /** A log at the time of the last look; of less than no bytes where there is no file yet. */
    private record Seen(LogFile file, long size, long at, long notedAt) {}

    private final long limit;
    private final Disk disk;
    private final KeepMetrics metrics;
    private Map<Long, Seen> seen = new HashMap<>();

    Growth(long limit, Disk disk, KeepMetrics metrics) {
        this.limit = limit;
        this.disk = disk;
        this.metrics = metrics;
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
            if (last.file().gone().isEmpty()) {
                look(task, last.file(), now, now); // what it printed since the last look
            }
        }
        var outage = disk.look(now);
        if (outage.isPresent()) {
            Set<LogFile> struck = new LinkedHashSet<>();
            found.values().forEach(log -> struck.add(log.file()));
            over.forEach(
                    task -> struck.add(Objects.requireNonNull(seen.get(task)).file()));
            printed.since(outage.get().from()).forEach(output -> struck.add(new LogFile(output.file())));
            for (LogFile file : struck) {
                strike(file, outage.get());
            }
            disk.over(outage.get());
            metrics.trouble("disk_full");
        }
        seen = found;
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
        long size = size(file);
        if (size < 0) {
            return new Seen(file, -1, now, now);
        }
        try {
            long noted =
                    before == null || before.size() < 0 ? first(file, size, launched) : note(file, before, size, now);
            cut(file, size, now);
            return new Seen(file, size, now, noted);
        } catch (IOException e) {
            if (!disk.isFull(e, now)) {
                throw e;
            }
            return new Seen(file, size, now, before == null ? now : before.notedAt());
        }
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

    /** The middle goes: recorded first, then a hole is made, so that every offset stays what it was. */
    private void cut(LogFile file, long size, long now) throws IOException {
        if (size <= limit) {
            return;
        }
        List<Gaps.Gap> gaps = file.gaps().all();
        long kept = size - gaps.stream().mapToLong(gap -> gap.to() - gap.from()).sum();
        if (kept <= limit + Math.min(SLACK, limit / 8)) {
            return;
        }
        Gaps.Gap hole = Gaps.next(gaps, HEAD);
        long from = hole == null ? HEAD : hole.to();
        long to = (size - (limit - HEAD)) & -4096L;
        file.gaps().add(new Gaps.Gap(from, to, Gaps.SIZE_LIMIT, now, null));
        boolean freed = disk.punch(file.plain(), from, to - from);
        metrics.trouble(freed ? "size_limit" : "size_limit_not_freed");
        LOG.log(
                System.Logger.Level.WARNING,
                "event=log-cut file=" + file.plain() + " from=" + from + " to=" + to
                        + (freed
                                ? ""
                                : " effect=the file system makes no holes, so the disk has no more room than before"));
    }
}
