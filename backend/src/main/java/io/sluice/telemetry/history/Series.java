package io.sluice.telemetry.history;

import io.sluice.telemetry.history.Lines.Line;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines on one time axis, as a chart draws them.
 *
 * @param from in milliseconds, as {@code to} and {@code step}
 * @param source where they are from: {@code memory} or {@code prometheus}
 */
public record Series(long from, long to, long step, String source, List<Drawn> lines) {
    /** A chart is no wider. */
    public static final int MOST_POINTS = 600;

    /** A line with its values, NaN where one is not known. */
    public static final class Drawn {
        private final String role;
        private final int taskIndex;
        private final String node;
        private final Line line;
        private final float[] values;

        Drawn(String role, int taskIndex, String node, Line line, float[] values) {
            this.role = role;
            this.taskIndex = taskIndex;
            this.node = node;
            this.line = line;
            this.values = values;
        }

        public String role() {
            return role;
        }

        public int taskIndex() {
            return taskIndex;
        }

        public String node() {
            return node;
        }

        public Line line() {
            return line;
        }

        public float value(int at) {
            return values[at];
        }
    }

    public Series {
        lines = List.copyOf(lines);
    }

    /** Whether no line has a value. */
    public boolean isEmpty() {
        for (Drawn line : lines) {
            for (float value : line.values) {
                if (!Float.isNaN(value)) {
                    return false;
                }
            }
        }
        return true;
    }

    public int size() {
        return (int) ((to - from) / step) + 1;
    }

    /** No more points than a chart can show, and at full seconds. */
    static long step(long from, long to, long wanted, long finest) {
        long widest = (to - from + MOST_POINTS - 1) / MOST_POINTS;
        long step = Math.max(Math.max(wanted, finest), Math.max(widest, 1000));
        return (step + 999) / 1000 * 1000;
    }

    /**
     * The mean of what falls into each step. Where steps are shorter than what was kept, a value holds for as long as it stands for, and no
     * longer: beyond that nothing is known.
     *
     * @param reach how long one value stands for
     */
    static float[] buckets(Track.Points points, int line, long from, long step, int count, long reach) {
        long[] times = points.times();
        float[] values = points.values()[line];
        double[] sums = new double[count];
        int[] counts = new int[count];
        for (int at = 0; at < times.length; at++) {
            int bucket = bucket(times[at], from, step);
            if (bucket >= 0 && bucket < count && !Float.isNaN(values[at])) {
                sums[bucket] += values[at];
                counts[bucket]++;
            }
        }
        float[] means = new float[count];
        for (int bucket = 0; bucket < count; bucket++) {
            means[bucket] = counts[bucket] == 0 ? Float.NaN : (float) (sums[bucket] / counts[bucket]);
        }
        for (int at = 0; at < times.length; at++) {
            int last = Math.min(count - 1, bucket(times[at] + reach / 2, from, step));
            for (int bucket = Math.max(0, bucket(times[at] - reach / 2, from, step)); bucket <= last; bucket++) {
                means[bucket] = Float.isNaN(means[bucket]) ? values[at] : means[bucket];
            }
        }
        return means;
    }

    private static int bucket(long time, long from, long step) {
        return (int) Math.clamp(Math.floorDiv(time - from + step / 2, step), -1L, Integer.MAX_VALUE);
    }

    /** How fine what is kept of these tasks is from a time on. */
    static long grain(List<Source> tasks, long from) {
        long grain = 1000;
        for (Source task : tasks) {
            Track.Points fine = task.kept().track().points(Long.MIN_VALUE, Long.MAX_VALUE);
            long coarse = task.kept().coarse().step();
            boolean whole = fine.size() > 0
                    && fine.times()[0] <= Math.max(from, task.kept().coarse().from()) + 2 * coarse;
            grain = Math.max(grain, whole ? spacing(fine) : coarse);
        }
        return grain;
    }

    private static long spacing(Track.Points fine) {
        return fine.size() > 1 ? (fine.times()[fine.size() - 1] - fine.times()[0]) / (fine.size() - 1) : 5_000;
    }

    /** What is kept of tasks, between two times: the last hours finely, what was before in fewer points. */
    static Series of(List<Source> tasks, long from, long to, long wanted) {
        long finest = 1000;
        for (Source task : tasks) {
            Track.Points fine = task.kept().track().points(from, to);
            finest = Math.max(
                    finest,
                    fine.size() > 1 ? spacing(fine) : task.kept().coarse().step());
        }
        long step = step(from, to, wanted, finest);
        int count = (int) ((to - from) / step) + 1;
        var lines = new ArrayList<Drawn>();
        for (Source task : tasks) {
            Track.Points all = task.kept().track().points(Long.MIN_VALUE, Long.MAX_VALUE);
            Track.Points fine = task.kept().track().points(from - 60_000, to + 60_000);
            long begun = all.size() == 0 ? Long.MAX_VALUE : all.times()[0];
            Track.Points coarse = task.kept().coarse().points().before(begun);
            for (int line = 0; line < task.kept().lines().size(); line++) {
                float[] values = buckets(
                        coarse, line, from, step, count, task.kept().coarse().step());
                float[] newer = buckets(fine, line, from, step, count, 2 * spacing(fine));
                for (int at = 0; at < count; at++) {
                    values[at] = Float.isNaN(newer[at]) ? values[at] : newer[at];
                }
                lines.add(new Drawn(
                        task.role(),
                        task.index(),
                        task.node(),
                        task.kept().lines().get(line),
                        values));
            }
        }
        return new Series(from, to, step, "memory", lines);
    }

    /** A task of the job and what is kept of it. */
    record Source(String role, int index, String node, Kept kept) {}

    /** To four places that count: more is noise, and weight. */
    public static double round(double value) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value;
        }
        double scale = Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
        return Math.round(value * scale) / scale;
    }
}
