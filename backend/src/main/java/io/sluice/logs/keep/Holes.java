package io.sluice.logs.keep;

import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Instants;
import io.sluice.logs.files.LogFile;
import java.io.IOException;
import java.util.List;

/** What is taken out of logs that grow: the middle of those that grow too large, and what a task took away itself. Every offset stays what it was. */
final class Holes {
    private static final System.Logger LOG = System.getLogger(Holes.class.getName());
    /** Of a log that is too large its beginning stays. */
    static final long HEAD = 16L << 20;

    private static final long SLACK = 16L << 20;

    private final long limit;
    private final Disk disk;
    private final KeepMetrics metrics;
    private final Instants instants;

    Holes(long limit, Disk disk, KeepMetrics metrics, Instants instants) {
        this.limit = limit;
        this.disk = disk;
        this.metrics = metrics;
        this.instants = instants;
    }

    /** @param first whether nobody here has looked at it yet: what is recorded may not have been done when a gateway was killed */
    void make(LogFile file, long size, long now, boolean first) throws IOException {
        List<Gaps.Gap> gaps = file.gaps().all();
        if (first) {
            again(file, gaps);
        }
        long kept = size - Gaps.gone(gaps);
        if (size > limit && kept > limit + Math.min(SLACK, limit / 8)) {
            cut(file, gaps, size, now);
        }
    }

    private void again(LogFile file, List<Gaps.Gap> gaps) throws IOException {
        for (Gaps.Gap gap : gaps) {
            if (gap.reason().equals(Gaps.SIZE_LIMIT)) {
                disk.punch(file.plain(), gap.from(), gap.to() - gap.from());
            }
        }
    }

    /** The middle goes: recorded first, then a hole is made. */
    private void cut(LogFile file, List<Gaps.Gap> gaps, long size, long now) throws IOException {
        Gaps.Gap hole = Gaps.next(gaps, HEAD);
        long from = hole == null ? HEAD : hole.to();
        long to = (size - (limit - HEAD)) & -4096L;
        instants.pass("cut.begun");
        file.gaps().add(new Gaps.Gap(from, to, Gaps.SIZE_LIMIT, now, null));
        instants.pass("cut.recorded");
        boolean freed = disk.punch(file.plain(), from, to - from);
        instants.pass("cut.made");
        metrics.trouble(freed ? "size_limit" : "size_limit_not_freed");
        LOG.log(
                System.Logger.Level.WARNING,
                "event=log-cut file=" + file.plain() + " from=" + from + " to=" + to
                        + (freed
                                ? ""
                                : " effect=the file system makes no holes, so the disk has no more room than before"));
    }

    void emptied(LogFile file, long known, long now) throws IOException {
        Disk.writable(file.plain(), () -> {
            file.emptied(known, now);
            return true;
        });
        metrics.trouble("emptied");
        LOG.log(System.Logger.Level.WARNING, "event=log-emptied-by-its-task file=" + file.plain() + " known=" + known);
    }
}
