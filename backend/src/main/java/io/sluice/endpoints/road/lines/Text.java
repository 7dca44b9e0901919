package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A message's head as it travels, written again and again into the same bytes. */
public final class Text {
    private static final int BYTES = 1_024;
    private static final boolean[] NAME = name();

    private byte[] bytes = new byte[BYTES];
    private int length;

    public Text clear() {
        length = 0;
        return this;
    }

    public Text add(byte[] more) {
        return add(more, 0, more.length);
    }

    private Text add(byte[] more, int from, int count) {
        room(count);
        System.arraycopy(more, from, bytes, length, count);
        length += count;
        return this;
    }

    /** Of letters of one byte; what is wider is seen where fields are looked at. */
    public Text add(CharSequence more) {
        return more instanceof AsciiString ascii
                ? add(ascii.array(), ascii.arrayOffset(), ascii.length())
                : add(more.toString());
    }

    @SuppressWarnings("deprecation") // the one that neither encodes nor allocates
    private Text add(String more) {
        int count = more.length();
        room(count);
        more.getBytes(0, count, bytes, length);
        length += count;
        return this;
    }

    /** Whether it could be written: what no name and no value may hold ends the head nowhere but at its end. */
    public boolean field(CharSequence name, CharSequence value) {
        int start = length;
        add(name).add((byte) ':', (byte) ' ');
        int middle = length;
        add(value);
        boolean plain = isName(start, middle - 2) && isValue(middle);
        add((byte) '\r', (byte) '\n');
        return plain;
    }

    /** A blank line ends it. */
    public void end() {
        add((byte) '\r', (byte) '\n');
    }

    private void add(byte one, byte other) {
        room(2);
        bytes[length++] = one;
        bytes[length++] = other;
    }

    private boolean isName(int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] < 0 || !NAME[bytes[i]]) {
                return false;
            }
        }
        return to > from;
    }

    private boolean isValue(int from) {
        for (int i = from; i < length; i++) {
            byte letter = bytes[i];
            if (letter < ' ' ? letter >= 0 && letter != '\t' : letter == 127) {
                return false;
            }
        }
        return true;
    }

    private static boolean[] name() {
        var allowed = new boolean[128];
        for (byte letter : "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                .getBytes(StandardCharsets.US_ASCII)) {
            allowed[letter] = true;
        }
        return allowed;
    }

    private void room(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
        }
    }

    int length() {
        return length;
    }

    ByteBuf into(ByteBuf out) {
        return out.writeBytes(bytes, 0, length);
    }
}
