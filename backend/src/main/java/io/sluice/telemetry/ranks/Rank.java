package io.sluice.telemetry.ranks;

import io.sluice.jobs.JobDetail;
import io.sluice.jobs.life.Exit;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A task among those of its attempt.
 *
 * @param first of its ranks, -1: it has none
 * @param last of them
 * @param use of its devices lately, from 0 to 1, or processors where it has none; NaN: not known
 * @param bytes of its log, -1: not known
 * @param said when it printed last, null: it has not, or nobody knows
 * @param points of its use, to be drawn
 */
public record Rank(
        JobDetail.Task task,
        int first,
        int last,
        double use,
        long bytes,
        @Nullable Instant said,
        String points,
        Set<Mark> marks) {
    /** What there is to say of one among all. */
    public enum Mark {
        /** The least use of its devices, far below what is usual among them. */
        SLOW_USE,
        /** Printed far less than is usual among them, or nothing for long while the others do. */
        SLOW_LOG,
        /** The first that failed by itself. */
        FAILED_FIRST
    }

    public Rank {
        marks = Set.copyOf(marks);
    }

    public boolean runs() {
        return task.launched() != null && task.completed() == null;
    }

    /** By itself, and not because it was stopped. */
    boolean failed() {
        Exit exit = task.exit();
        return exit != null && exit.code() != 0 && !Exit.isStop(exit.code());
    }

    public boolean stopped() {
        Exit exit = task.exit();
        return exit != null && Exit.isStop(exit.code());
    }

    Rank marked(Mark mark) {
        var all = marks.isEmpty() ? EnumSet.noneOf(Mark.class) : EnumSet.copyOf(marks);
        all.add(mark);
        return new Rank(task, first, last, use, bytes, said, points, all);
    }

    /** Whether the use is of devices, which has an upper end. */
    public boolean hasDevices() {
        return !task.devices().isEmpty();
    }
}
