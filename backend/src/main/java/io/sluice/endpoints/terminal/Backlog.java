package io.sluice.endpoints.terminal;

import io.vertx.core.buffer.Buffer;

/** The last bytes of something endless, by their offset in it. */
final class Backlog {
    /** Of a title that goes on and on. */
    private static final int LONGEST = 4 << 10;

    private final byte[] kept;
    /** As what is not kept any more left them. */
    private final Modes modes = new Modes();

    private long end;

    Backlog(int size) {
        this.kept = new byte[size];
    }

    void add(Buffer piece) {
        int length = piece.length();
        for (int from = 0; from < length; ) {
            int at = (int) (end % kept.length);
            int count = Math.min(length - from, kept.length - at);
            if (end >= kept.length) {
                for (int i = at; i < at + count; i++) {
                    modes.take(kept[i]);
                }
            }
            piece.getBytes(from, from + count, kept, at);
            from += count;
            end += count;
        }
    }

    long begin() {
        return Math.max(0, end - kept.length);
    }

    long end() {
        return end;
    }

    /**
     * Where somebody can begin who has seen nothing of it.
     *
     * @param before what a screen has to be told first
     */
    record Start(long offset, String before) {}

    /** Not amid a letter or an order to the screen. */
    Start start() {
        long from = begin();
        if (from == 0) {
            return new Start(0, "");
        }
        Modes there = modes.copy();
        for (long last = Math.min(end, from + LONGEST); from < last && !there.isBetween(); from++) {
            there.take(kept[(int) (from % kept.length)]);
        }
        return new Start(from, there.again());
    }

    /** What is there from an offset on, and perhaps not all of it. */
    Buffer read(long from, int most) {
        int at = (int) (from % kept.length);
        int count = (int) Math.min(Math.min(most, end - from), kept.length - at);
        return Buffer.buffer(count).appendBytes(kept, at, count);
    }
}
