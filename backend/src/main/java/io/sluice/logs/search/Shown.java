package io.sluice.logs.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A piece of a log as it is seen: without escape sequences, which colour it, link it and move about in it. Knows where in the piece each byte
 * stood. What a sequence is and where a broken one ends is as in the viewer's {@code escapes.ts}.
 */
final class Shown {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;
    private static final long ESCAPES = 0x1B * ONES;
    private static final byte ESC = 0x1B;
    private static final byte BEL = 7;
    private static final int LONGEST = 4096;
    private static final int STEP = 8 * Long.BYTES;

    private final byte[] text;
    private byte[] bytes = {};
    private int length;
    private int taken;
    /** From which place in the text on how many bytes are left out; in order. */
    private int[] places = new int[64];

    private int[] leftOut = new int[64];
    private int count;

    Shown(int most) {
        this.text = new byte[most];
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** @param ends whether a line ends with it; else a sequence that does not end in it is left to the next piece */
    void of(byte[] piece, int size, boolean ends) {
        count = 0;
        int escape = escape(piece, 0, size);
        if (escape == size) {
            bytes = piece;
            length = size;
            taken = size;
            return;
        }
        bytes = text;
        length = 0;
        int from = 0;
        while (true) {
            System.arraycopy(piece, from, text, length, escape - from);
            length += escape - from;
            int end = escape < size ? end(piece, escape, size) : size;
            if (escape == size || (end == size && !ends)) {
                taken = escape;
                return;
            }
            leaveOut(end - length);
            from = end;
            escape = escape(piece, from, size);
        }
    }

    private void leaveOut(int so) {
        if (count > 0 && places[count - 1] == length) {
            count--;
        }
        if (count == places.length) {
            places = Arrays.copyOf(places, 2 * count);
            leftOut = Arrays.copyOf(leftOut, 2 * count);
        }
        places[count] = length;
        leftOut[count++] = so;
    }

    /** Where in the piece that begins which is left to the next one. */
    int end() {
        return taken;
    }

    /** Where in the piece the byte at this place stood. */
    int place(int at) {
        int found = Arrays.binarySearch(places, 0, count, at);
        int last = found >= 0 ? found : -found - 2;
        return last < 0 ? at : at + leftOut[last];
    }

    /** The next sequence's beginning, or the end. */
    private static int escape(byte[] piece, int from, int size) {
        int at = from;
        for (; at <= size - STEP; at += STEP) {
            long any = 0;
            for (int word = 0; word < STEP; word += Long.BYTES) {
                long different = (long) WORD.get(piece, at + word) ^ ESCAPES;
                any |= (different - ONES) & ~different;
            }
            if ((any & HIGH) != 0) {
                break;
            }
        }
        while (at < size && piece[at] != ESC) {
            at++;
        }
        return at;
    }

    /** Where the sequence that begins here is over: behind it, or at what breaks it off. */
    private static int end(byte[] piece, int escape, int size) {
        int at = escape + 1;
        if (at == size || piece[at] == '\n' || piece[at] == ESC) {
            return at;
        }
        return switch (piece[at]) {
            case '[' -> control(piece, at + 1, size);
            case ']', 'P', 'X', '^', '_' -> string(piece, at + 1, size);
            case '(', ')', '*', '+', '-', '.', '/', '#', '%', ' ' ->
                at + 1 < size && piece[at + 1] != '\n' && piece[at + 1] != ESC ? at + 2 : at + 1;
            default -> at + 1;
        };
    }

    private static int control(byte[] piece, int from, int size) {
        int at = from;
        while (at < size && at - from <= LONGEST && piece[at] >= 0x20 && piece[at] <= 0x3F) {
            at++;
        }
        return at < size && piece[at] != '\n' && piece[at] != ESC ? at + 1 : at;
    }

    private static int string(byte[] piece, int from, int size) {
        int at = from;
        while (at < size && at - from <= LONGEST && piece[at] != BEL && piece[at] != '\n' && piece[at] != ESC) {
            at++;
        }
        return at < size && piece[at] != '\n' && piece[at] != ESC ? at + 1 : at;
    }
}
