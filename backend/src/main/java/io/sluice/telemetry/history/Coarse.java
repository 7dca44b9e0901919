package io.sluice.telemetry.history;

import java.util.Arrays;

/** A whole task in a few hundred points: when there is no more room two neighbours become one. Small enough for the database. */
final class Coarse {
    static final int MOST = 240;
    private static final long FIRST_STEP = 5_000;

    private final int lines;
    private long from;
    private long step = FIRST_STEP;
    private int rows;
    private final double[][] sums;
    private final int[][] counts;

    Coarse(int lines) {
        this.lines = lines;
        this.sums = new double[lines][MOST];
        this.counts = new int[lines][MOST];
    }

    /** What was kept before. */
    static Coarse of(long from, long step, float[][] values) {
        var coarse = new Coarse(values.length);
        coarse.from = from;
        coarse.step = step;
        for (int line = 0; line < values.length; line++) {
            coarse.rows = Math.max(coarse.rows, Math.min(MOST, values[line].length));
            for (int row = 0; row < Math.min(MOST, values[line].length); row++) {
                if (!Float.isNaN(values[line][row])) {
                    coarse.sums[line][row] = values[line][row];
                    coarse.counts[line][row] = 1;
                }
            }
        }
        return coarse;
    }

    synchronized void add(long time, double[] row) {
        if (rows == 0) {
            from = time;
        }
        if (time < from) {
            return; // the clock was set back
        }
        while ((time - from) / step >= MOST) {
            halve();
        }
        int at = (int) ((time - from) / step);
        rows = Math.max(rows, at + 1);
        for (int line = 0; line < lines; line++) {
            if (!Double.isNaN(row[line])) {
                sums[line][at] += row[line];
                counts[line][at]++;
            }
        }
    }

    private void halve() {
        for (int line = 0; line < lines; line++) {
            for (int at = 0; at < MOST / 2; at++) {
                sums[line][at] = sums[line][2 * at] + sums[line][2 * at + 1];
                counts[line][at] = counts[line][2 * at] + counts[line][2 * at + 1];
            }
            Arrays.fill(sums[line], MOST / 2, MOST, 0);
            Arrays.fill(counts[line], MOST / 2, MOST, 0);
        }
        step *= 2;
        rows = (rows + 1) / 2;
    }

    synchronized long step() {
        return step;
    }

    synchronized long from() {
        return from;
    }

    synchronized Track.Points points() {
        long[] times = new long[rows];
        float[][] values = new float[lines][rows];
        for (int row = 0; row < rows; row++) {
            times[row] = from + row * step + step / 2;
            for (int line = 0; line < lines; line++) {
                values[line][row] = counts[line][row] == 0 ? Float.NaN : (float) (sums[line][row] / counts[line][row]);
            }
        }
        return new Track.Points(times, values);
    }
}
