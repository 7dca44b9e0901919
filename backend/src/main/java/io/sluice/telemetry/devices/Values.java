package io.sluice.telemetry.devices;

import java.util.Arrays;

/** What was measured, by {@link Metric}. What was not is NaN, and never 0. */
public final class Values {
    public static final Values NONE = new Values(new double[Metric.COUNT]).cleared();

    private final double[] values;

    private Values(double[] values) {
        this.values = values;
    }

    private Values cleared() {
        Arrays.fill(values, Double.NaN);
        return this;
    }

    public double of(Metric metric) {
        return values[metric.place()];
    }

    public boolean has(Metric metric) {
        return !Double.isNaN(of(metric));
    }

    /** With one more; what the metric can not be is left absent. */
    public Values with(Metric metric, double value) {
        if (!metric.allows(value)) {
            return this;
        }
        double[] more = values.clone();
        more[metric.place()] = value;
        return new Values(more);
    }

    public boolean isEmpty() {
        return Arrays.stream(values).allMatch(Double::isNaN);
    }

    @Override
    public String toString() {
        var text = new StringBuilder("Values[");
        for (Metric metric : Metric.values()) {
            if (has(metric)) {
                text.append(metric.key()).append('=').append(of(metric)).append(' ');
            }
        }
        return text.append(']').toString();
    }
}
