package io.sluice.telemetry.history;

import java.util.Arrays;

/**
 * Lines over time in memory, the oldest giving way. Rows are appended by one thread and read by others; a row that is being written is not
 * seen.
 */
final class Track {
    private static final int FIRST = 64;

    /** Points of some lines at the same times. NaN is not known. */
    static final class Points {
        private final long[] times;
        private final float[][] values;

        Points(long[] times, float[][] values) {
            this.times = times;
            this.values = values;
        }

        long[] times() {
            return times;
        }

        float[][] values() {
            return values;
        }

        int size() {
            return times.length;
        }

        /** Those that are older. */
        Points before(long time) {
            int count = 0;
            while (count < times.length && times[count] < time) {
                count++;
            }
            float[][] some = new float[values.length][];
            for (int line = 0; line < values.length; line++) {
                some[line] = Arrays.copyOf(values[line], count);
            }
            return new Points(Arrays.copyOf(times, count), some);
        }
    }

    private final int lines;
    private long[] times = new long[FIRST];
    private float[][] values;
    private int start;
    private int size;

    Track(int lines) {
        this.lines = lines;
        this.values = new float[lines][FIRST];
    }

    int lines() {
        return lines;
    }

    synchronized int floats() {
        return lines * times.length;
    }

    /** @param most rows that are kept */
    synchronized void add(long time, double[] row, int most) {
        if (size == times.length && size < most) {
            grow(Math.min(most, times.length * 2));
        }
        while (size >= Math.min(most, times.length)) {
            start = (start + 1) % times.length;
            size--;
        }
        int at = (start + size) % times.length;
        times[at] = time;
        for (int line = 0; line < lines; line++) {
            values[line][at] = (float) row[line];
        }
        size++;
    }

    private void grow(int capacity) {
        Points all = points(Long.MIN_VALUE, Long.MAX_VALUE);
        times = Arrays.copyOf(all.times(), capacity);
        float[][] larger = new float[lines][];
        for (int line = 0; line < lines; line++) {
            larger[line] = Arrays.copyOf(all.values()[line], capacity);
        }
        values = larger;
        start = 0;
        size = all.size();
    }

    synchronized Points points(long from, long to) {
        int first = 0;
        while (first < size && times[(start + first) % times.length] < from) {
            first++;
        }
        int end = size;
        while (end > first && times[(start + end - 1) % times.length] > to) {
            end--;
        }
        long[] at = new long[end - first];
        float[][] some = new float[lines][end - first];
        for (int row = first; row < end; row++) {
            int place = (start + row) % times.length;
            at[row - first] = times[place];
            for (int line = 0; line < lines; line++) {
                some[line][row - first] = values[line][place];
            }
        }
        return new Points(at, some);
    }

    /** The last values of a line, oldest first. */
    synchronized float[] tail(int line, int most) {
        int count = Math.min(most, size);
        float[] tail = new float[count];
        for (int at = 0; at < count; at++) {
            tail[at] = values[line][(start + size - count + at) % times.length];
        }
        return tail;
    }
}
