package io.sluice.logs.search;

import com.google.re2j.Pattern;
import io.sluice.logs.files.GoOn;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An expression, tried on lines one by one: on those that hold what every match holds, where there is such a thing. A line that is very long is
 * tried in parts, as one try can not be broken off. They overlap by more than an expression without {@code *} and {@code +} can match.
 */
final class Regex implements Finder {
    /** In bytes: of {@link Expression}'s largest each character may take four. */
    static final int OVERLAP = 4 << 10;

    private static final int LONGEST_PART = 64 << 10;
    private static final int SHORTEST_PART = 2 * OVERLAP;
    /** Bytes times the size of the expression: some tens of milliseconds. */
    private static final int WORK = 1 << 20;

    private static final Needle NEWLINE = new Needle("\n", true);

    private final Pattern pattern;
    private final @Nullable Needle literal;
    private final int size;
    private final int part;

    Regex(Pattern pattern, String literal, int size) {
        this.pattern = pattern;
        this.literal = literal.isEmpty() ? null : new Needle(literal, true);
        this.size = Math.max(1, size);
        this.part = Math.clamp(WORK / this.size, SHORTEST_PART, LONGEST_PART);
    }

    @Override
    public int overlap() {
        return OVERLAP;
    }

    @Override
    public int find(byte[] bytes, Piece piece, GoOn goOn, Found found) throws IOException {
        var tries = new Tries(bytes, piece, goOn, found);
        int begin = candidate(bytes, 0, piece.length());
        while (begin >= 0 && begin < piece.length()) {
            int newline = NEWLINE.in(bytes, begin, piece.length());
            int stopped = tries.line(begin, newline < 0 ? piece.length() : newline, newline >= 0 || piece.ends());
            if (stopped >= 0) {
                return stopped;
            }
            begin = newline < 0 ? -1 : candidate(bytes, newline + 1, piece.length());
        }
        return piece.length();
    }

    /** The beginning of the next line to be tried. */
    private int candidate(byte[] bytes, int from, int length) {
        if (literal == null) {
            return from;
        }
        int at = literal.in(bytes, from, length);
        while (at > from && bytes[at - 1] != '\n') {
            at--;
        }
        return at;
    }

    /** Of one piece. */
    private final class Tries {
        private final byte[] bytes;
        private final Piece piece;
        private final GoOn goOn;
        private final Found found;
        private long work;
        /** Where what was found last ends. */
        private int next;

        Tries(byte[] bytes, Piece piece, GoOn goOn, Found found) {
            this.bytes = bytes;
            this.piece = piece;
            this.goOn = goOn;
            this.found = found;
        }

        /** The answer is where it was not to go on; -1: it is. */
        int line(int begin, int end, boolean ends) throws IOException {
            next = begin == 0 && !piece.begins() ? 1 : begin;
            int from = begin;
            while (true) {
                int to = Math.min(end, from + part);
                work += (long) size * (to - from);
                if (work > WORK) {
                    work = 0;
                    if (!goOn.goesOn()) {
                        return from;
                    }
                }
                // with the byte before, which tells that no line begins here
                int stopped = inPart(from == begin ? from : from - 1, to, to == end && ends);
                if (stopped >= 0 || to == end) {
                    return stopped;
                }
                from = to - OVERLAP;
                next = Math.max(next, from);
            }
        }

        private int inPart(int from, int to, boolean ends) throws IOException {
            byte[] text = Arrays.copyOfRange(bytes, from, to);
            var matcher = pattern.matcher(text);
            int at = Math.max(0, next - from);
            while (at <= text.length && matcher.find(at)) {
                int start = matcher.start();
                int end = matcher.end();
                // it may go on there, or not be one at all; the next part will tell
                if (!ends && end == text.length && start > text.length - OVERLAP) {
                    return -1;
                }
                if (end > start) {
                    next = from + end;
                    if (!found.match(from + start, from + end)) {
                        return from + end;
                    }
                }
                at = end > start ? end : end + 1;
            }
            return -1;
        }
    }
}
