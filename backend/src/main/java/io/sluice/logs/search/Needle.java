package io.sluice.logs.search;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A text that is looked for as bytes, eight places at a time: a word of the log is compared with two bytes of the text, the least common ones, and only
 * where both fit the rest is looked at.
 */
final class Needle {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;
    private static final int STEP = 4 * Long.BYTES;
    /** What logs are made of, most common first; what is not in here is rarer. */
    private static final String COMMON = " e0ta1oins2r345678l9.dhcum=-:fpgywb_/v,\n";

    private final byte[] text;
    private final boolean matchCase;
    private final int one;
    private final int other;
    private final long oneByte;
    private final long otherByte;
    private final long oneFold;
    private final long otherFold;

    /** @param text only ASCII, unless case is matched */
    Needle(String text, boolean matchCase) {
        this.text = (matchCase ? text : text.toLowerCase(Locale.ROOT)).getBytes(StandardCharsets.UTF_8);
        this.matchCase = matchCase;
        int first = rarest(-1);
        int second = this.text.length == 1 ? first : rarest(first);
        this.one = Math.min(first, second);
        this.other = Math.max(first, second);
        this.oneByte = (this.text[one] & 0xFF) * ONES;
        this.otherByte = (this.text[other] & 0xFF) * ONES;
        this.oneFold = fold(one);
        this.otherFold = fold(other);
    }

    int length() {
        return text.length;
    }

    private int rarest(int but) {
        int found = -1;
        int rank = -1;
        for (int at = 0; at < text.length; at++) {
            int common = COMMON.indexOf((char) (text[at] & 0xFF));
            int rarity = common < 0 ? COMMON.length() : common;
            if (at != but && rarity > rank) {
                found = at;
                rank = rarity;
            }
        }
        return found;
    }

    /** The bit in which a capital letter differs from a small one. */
    private long fold(int at) {
        return !matchCase && isSmall(text[at]) ? 0x20 * ONES : 0;
    }

    private static boolean isSmall(byte letter) {
        return letter >= 'a' && letter <= 'z';
    }

    /** Its first place from {@code from} on that ends before {@code length}; -1: none. */
    int in(byte[] piece, int from, int length) {
        int at = from;
        int last = length - text.length;
        for (; at <= last - STEP + 1; at += STEP) {
            long a = different(piece, at);
            long b = different(piece, at + 8);
            long c = different(piece, at + 16);
            long d = different(piece, at + 24);
            if (((zeros(a) | zeros(b) | zeros(c) | zeros(d)) & HIGH) != 0) {
                int found = oneByOne(piece, at, at + STEP - 1);
                if (found >= 0) {
                    return found;
                }
            }
        }
        return oneByOne(piece, at, last);
    }

    /** Eight bytes, of which those are zero where both of the two bytes are as in the text. */
    private long different(byte[] piece, int at) {
        long left = (long) WORD.get(piece, at + one) | oneFold;
        long right = (long) WORD.get(piece, at + other) | otherFold;
        return (left ^ oneByte) | (right ^ otherByte);
    }

    /** Has a high bit set if a byte is zero. */
    private static long zeros(long word) {
        return (word - ONES) & ~word;
    }

    private int oneByOne(byte[] piece, int from, int last) {
        for (int at = from; at <= last; at++) {
            if (isAt(piece, at)) {
                return at;
            }
        }
        return -1;
    }

    private boolean isAt(byte[] piece, int at) {
        for (int index = 0; index < text.length; index++) {
            byte there = piece[at + index];
            boolean same = there == text[index]
                    || (!matchCase && isSmall(text[index]) && (byte) (there | 0x20) == text[index]);
            if (!same) {
                return false;
            }
        }
        return true;
    }
}
