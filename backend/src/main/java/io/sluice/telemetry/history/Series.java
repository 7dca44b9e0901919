package io.sluice.telemetry.history;

import io.sluice.telemetry.history.Lines.Line;
import java.util.ArrayList;
import java.util.Arrays;
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

    public int size() {
        return (int) ((to - from) / step) + 1;
    }

    /** No more points than a chart can show, and at full seconds. */
    static long step(long from, long to, long wanted, long finest) {
        long widest = (to - from + MOST_POINTS - 1) / MOST_POINTS;
        long step = Math.max(Math.max(wanted, finest), Math.max(widest, 1000));
        return (step + 999) / 1000 * 1000;
    }

    /** The mean of what falls into each step. */
    static float[] buckets(long[] times, float[] values, long from, long step, int count) {
        double[] sums = new double[count];
        int[] counts = new int[count];
        for (int at = 0; at < times.length; at++) {
            int bucket = (int) Math.floorDiv(times[at] - from + step / 2, step);
            if (bucket >= 0 && bucket < count && !Float.isNaN(values[at])) {
                sums[bucket] += values[at];
                counts[bucket]++;
            }
        }
        float[] means = new float[count];
        Arrays.fill(means, Float.NaN);
        for (int bucket = 0; bucket < count; bucket++) {
            if (counts[bucket] > 0) {
                means[bucket] = (float) (sums[bucket] / counts[bucket]);
            }
        }
        return means;
    }

    /** What is kept of a task, between two times, as finely as it is known. */
    static Series of(List<Source> tasks, long from, long to, long wanted) {
        long finest = 1000;
        for (Source task : tasks) {
            Track.Points fine = task.kept().track().points(Long.MIN_VALUE, Long.MAX_VALUE);
            boolean whole = fine.size() > 0
                    && fine.times()[0] <= from + 2 * task.kept().coarse().step();
            long spacing =
                    fine.size() > 1 ? (fine.times()[fine.size() - 1] - fine.times()[0]) / (fine.size() - 1) : 5_000;
            finest = Math.max(finest, whole ? spacing : task.kept().coarse().step());
        }
        long step = step(from, to, wanted, finest);
        int count = (int) ((to - from) / step) + 1;
        var lines = new ArrayList<Drawn>();
        for (Source task : tasks) {
            Track.Points fine = task.kept().track().points(from, to);
            Track.Points coarse = task.kept().coarse().points();
            boolean whole = fine.size() > 0
                    && fine.times()[0] <= from + 2 * task.kept().coarse().step();
            Track.Points points = whole ? fine : coarse;
            for (int line = 0; line < task.kept().lines().size(); line++) {
                lines.add(new Drawn(
                        task.role(),
                        task.index(),
                        task.node(),
                        task.kept().lines().get(line),
                        buckets(points.times(), points.values()[line], from, step, count)));
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
