package io.sluice.telemetry.history;

import io.vertx.core.json.JsonObject;

/** What one line comes to over a task's life. */
final class Tally {
    /** Below this share a device does nothing. */
    static final double IDLE = 0.05;

    private static final double LONGEST_SECONDS = 60;

    private double seconds;
    private double integral;
    private double peak = Double.NaN;
    private double idleSeconds;
    private double idleNow;

    /** @param passed seconds since the value before; over a gap nothing is known, so it counts as no time */
    void add(double value, double passed) {
        if (Double.isNaN(value)) {
            return;
        }
        peak = Double.isNaN(peak) ? value : Math.max(peak, value);
        if (passed <= 0 || passed > LONGEST_SECONDS) {
            return;
        }
        seconds += passed;
        integral += value * passed;
        idleSeconds += value < IDLE ? passed : 0;
        idleNow = value < IDLE ? idleNow + passed : 0;
    }

    double seconds() {
        return seconds;
    }

    double mean() {
        return seconds == 0 ? Double.NaN : integral / seconds;
    }

    /** Of watts, the energy in joules. */
    double integral() {
        return integral;
    }

    double peak() {
        return peak;
    }

    double idleSeconds() {
        return idleSeconds;
    }

    /** How long it has done nothing, up to now. */
    double idleNow() {
        return idleNow;
    }

    Tally copy() {
        var copy = new Tally();
        copy.seconds = seconds;
        copy.integral = integral;
        copy.peak = peak;
        copy.idleSeconds = idleSeconds;
        copy.idleNow = idleNow;
        return copy;
    }

    JsonObject toJson() {
        return new JsonObject()
                .put("seconds", seconds)
                .put("integral", integral)
                .put("peak", Double.isNaN(peak) ? null : (Double) peak)
                .put("idle", idleSeconds)
                .put("idleNow", idleNow);
    }

    static Tally of(JsonObject json) {
        var tally = new Tally();
        tally.seconds = json.getDouble("seconds", 0.0);
        tally.integral = json.getDouble("integral", 0.0);
        Double peak = json.getDouble("peak");
        tally.peak = peak == null ? Double.NaN : peak;
        tally.idleSeconds = json.getDouble("idle", 0.0);
        tally.idleNow = json.getDouble("idleNow", 0.0);
        return tally;
    }
}
