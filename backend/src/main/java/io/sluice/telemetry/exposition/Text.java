package io.sluice.telemetry.exposition;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that grow, and numbers written to them without an object for each. */
final class Text {
    private static final int SCALE = 10_000;
    private static final double MOST_SCALED = 9e14;
    private static final byte[] ZERO = {'0'};

    private byte[] bytes;
    private int size;
    private final byte[] digits = new byte[20];

    Text(int capacity) {
        bytes = new byte[capacity];
    }

    void add(byte[] more) {
        room(more.length);
        System.arraycopy(more, 0, bytes, size, more.length);
        size += more.length;
    }

    void add(byte one) {
        room(1);
        bytes[size++] = one;
    }

    /** A number that counts things. */
    void add(long count) {
        room(digits.length);
        whole(count);
    }

    /** To four places, which is finer than any tool measures; what is smaller or larger is written as Java does. */
    void add(double value) {
        if (value == 0) {
            add(ZERO);
        } else if (Math.abs(value) < MOST_SCALED && Math.abs(value) >= 1e-3) {
            scaled(value);
        } else {
            add(Double.toString(value).getBytes(StandardCharsets.US_ASCII));
        }
    }

    private void scaled(double value) {
        room(24);
        double from = value;
        if (from < 0) {
            bytes[size++] = '-';
            from = -from;
        }
        long whole = (long) from;
        int rest = (int) Math.round((from - (double) whole) * SCALE);
        if (rest == SCALE) {
            whole++;
            rest = 0;
        }
        whole(whole);
        if (rest > 0) {
            bytes[size++] = '.';
            for (int place = SCALE / 10; place > 0 && rest > 0; place /= 10) {
                bytes[size++] = (byte) ('0' + rest / place);
                rest %= place;
            }
        }
    }

    private void whole(long value) {
        long rest = value;
        int at = digits.length;
        do {
            digits[--at] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        System.arraycopy(digits, at, bytes, size, digits.length - at);
        size += digits.length - at;
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }

    int size() {
        return size;
    }

    /** What there is, without a copy; nothing may be added while it is read. */
    byte[] bytes() {
        return bytes;
    }

    void clear() {
        size = 0;
    }
}
