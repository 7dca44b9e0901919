package io.sluice.logs.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds matches in a piece of a log that ends where a line does, if it can. */
interface Finder {
    /** Told of each match, by its place in the piece; the answer is whether to go on. */
    interface Found {
        boolean match(int start, int end);
    }

    /** How much of a piece is looked at again with the next one, when a line is longer than a piece. */
    int overlap();

    void find(byte[] piece, int length, Found found);

    /** @throws IllegalArgumentException that says what is wrong with the query */
    static Finder of(Query query) {
        if (query.regex()) {
            return regex(query.text(), query.matchCase());
        }
        boolean ascii = query.text().chars().allMatch(character -> character < 128);
        return query.matchCase() || ascii
                ? new Plain(query.text(), query.matchCase())
                : new Regex(Pattern.compile(Pattern.quote(query.text()), Pattern.CASE_INSENSITIVE), "");
    }

    private static Finder regex(String text, boolean matchCase) {
        try {
            var expression = new Expression(text);
            expression.checkSize();
            return new Regex(
                    Pattern.compile(text, matchCase ? 0 : Pattern.CASE_INSENSITIVE),
                    matchCase ? expression.literal() : "");
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "The expression can not be read: " + e.getMessage() + ". Its syntax is RE2's, without"
                            + " look-around and back-references.",
                    e);
        }
    }

    /** A text as it stands, in UTF-8. */
    final class Plain implements Finder {
        private final Needle needle;

        Plain(String text, boolean matchCase) {
            this.needle = new Needle(text, matchCase);
        }

        @Override
        public int overlap() {
            return needle.length() - 1;
        }

        @Override
        public void find(byte[] piece, int length, Found found) {
            int at = needle.in(piece, 0, length);
            while (at >= 0 && found.match(at, at + needle.length())) {
                at = needle.in(piece, at + needle.length(), length);
            }
        }
    }

    /** An expression, tried on lines one by one: on those that hold what every match holds, where there is such a thing. */
    final class Regex implements Finder {
        private static final int LONGEST_LINE = 64 << 10;
        private static final int OVERLAP = 4 << 10;

        private static final Needle NEWLINE = new Needle("\n", true);

        private final Pattern pattern;
        private final @Nullable Needle literal;

        Regex(Pattern pattern, String literal) {
            this.pattern = pattern;
            this.literal = literal.isEmpty() ? null : new Needle(literal, true);
        }

        @Override
        public int overlap() {
            return OVERLAP;
        }

        @Override
        public void find(byte[] piece, int length, Found found) {
            int begin = candidate(piece, 0, length);
            while (begin >= 0 && begin < length) {
                int newline = NEWLINE.in(piece, begin, length);
                int end = newline < 0 ? length : newline;
                if (!inLine(piece, begin, end, found)) {
                    return;
                }
                begin = newline < 0 ? -1 : candidate(piece, newline + 1, length);
            }
        }

        /** The beginning of the next line to be tried. */
        private int candidate(byte[] piece, int from, int length) {
            if (literal == null) {
                return from;
            }
            int at = literal.in(piece, from, length);
            while (at > from && piece[at - 1] != '\n') {
                at--;
            }
            return at;
        }

        /** A line without end is tried in parts that overlap. */
        private boolean inLine(byte[] piece, int begin, int end, Found found) {
            int reported = begin;
            for (int from = begin; from < end || from == begin; from += LONGEST_LINE - OVERLAP) {
                byte[] line = Arrays.copyOfRange(piece, from, Math.min(end, from + LONGEST_LINE));
                var matcher = pattern.matcher(line);
                int next = 0;
                while (next <= line.length && matcher.find(next)) {
                    boolean empty = matcher.end() == matcher.start();
                    if (!empty && from + matcher.start() >= reported) {
                        reported = from + matcher.end();
                        if (!found.match(from + matcher.start(), reported)) {
                            return false;
                        }
                    }
                    next = matcher.end() + (empty ? 1 : 0);
                }
                if (from + LONGEST_LINE >= end) {
                    break;
                }
            }
            return true;
        }
    }
}
