package io.sluice.telemetry.pages;

import java.util.Locale;

/** A line so small that it needs no axis, as the points of an SVG of 100 by 24. */
final class Spark {
    private static final int HEIGHT = 24;

    private Spark() {}

    /** @param top the value that is drawn at the upper edge; not known is a gap that is drawn over */
    static String points(float[] values, double top) {
        var points = new StringBuilder();
        for (int at = 0; at < values.length; at++) {
            if (!Float.isNaN(values[at])) {
                double x = values.length < 2 ? 100 : 100.0 * at / (values.length - 1);
                double y = HEIGHT - 1 - (HEIGHT - 2) * Math.clamp(values[at] / Math.max(top, 1e-9), 0, 1);
                points.append(points.isEmpty() ? "" : " ").append(String.format(Locale.ROOT, "%.1f,%.1f", x, y));
            }
        }
        return points.toString();
    }

    static double top(float[] values) {
        double top = 0;
        for (float value : values) {
            top = Float.isNaN(value) ? top : Math.max(top, value);
        }
        return top;
    }
}
