package io.sluice.telemetry.devices;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what tools print for a number, and counts where they print none. */
final class Numbers {
    static final double MIB = 1 << 20;
    private static final Pattern NUMBER = Pattern.compile("([-+]?\\d{1,19}(?:\\.\\d{1,12})?)\\s*(%|[A-Za-z]{1,4})?");
    /** What drivers return, as a number, for what they do not support. */
    private static final double NOT_SUPPORTED = 9.2e18;

    private final Map<String, Integer> absent = new LinkedHashMap<>();

    /** NaN where the cell is no number. */
    static double of(String cell) {
        Matcher number = NUMBER.matcher(cell.strip());
        if (!number.matches()) {
            return Double.NaN;
        }
        double value = Double.parseDouble(number.group(1));
        return Math.abs(value) >= NOT_SUPPORTED ? Double.NaN : value;
    }

    /** The same, counted under the field's name where it is none. */
    double read(String field, String cell) {
        double value = of(cell);
        if (Double.isNaN(value)) {
            absent.merge(field, 1, Integer::sum);
        }
        return value;
    }

    Map<String, Integer> absent() {
        return absent;
    }

    static boolean isCount(String cell) {
        return cell.matches("\\d{1,9}");
    }
}
