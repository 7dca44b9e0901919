package io.sluice.endpoints.terminal;

import io.vertx.core.buffer.Buffer;

/** The last bytes of something endless, by their offset in it. */
final class Backlog {
    private final byte[] kept;
    private long end;

    Backlog(int size) {
        this.kept = new byte[size];
    }

    void add(Buffer piece) {
        int length = piece.length();
        int skipped = Math.max(0, length - kept.length);
        end += skipped;
        for (int from = skipped; from < length; ) {
            int at = (int) (end % kept.length);
            int count = Math.min(length - from, kept.length - at);
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

    /** What is there from an offset on, and perhaps not all of it. */
    Buffer read(long from, int most) {
        int at = (int) (from % kept.length);
        int count = (int) Math.min(Math.min(most, end - from), kept.length - at);
        return Buffer.buffer(count).appendBytes(kept, at, count);
    }
}
