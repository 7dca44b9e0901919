package io.sluice.logs.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.sluice.logs.files.GoOn;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Finds matches in a piece of a log that ends where a line does, if it can. */
interface Finder {
    /** Told of each match, by its place in the piece; the answer is whether to go on. */
    interface Found {
        boolean match(int start, int end) throws IOException;
    }

    /** How much of a piece is looked at again with the next one, when a line is longer than a piece. */
    int overlap();

    /** The answer is how much of the piece was looked at: less than its length where it was not to go on. */
    int find(byte[] piece, int length, GoOn goOn, Found found) throws IOException;

    /** @throws IllegalArgumentException that says what is wrong with the query */
    static Finder of(Query query) {
        if (query.regex()) {
            return regex(query.text(), query.matchCase());
        }
        boolean ascii = query.text().chars().allMatch(character -> character < 128);
        return query.matchCase() || ascii
                ? new Plain(query.text(), query.matchCase())
                : new Regex(
                        Pattern.compile(Pattern.quote(query.text()), Pattern.CASE_INSENSITIVE),
                        "",
                        query.text().length());
    }

    private static Finder regex(String text, boolean matchCase) {
        try {
            var expression = new Expression(text);
            expression.checkSize();
            return new Regex(
                    Pattern.compile(text, matchCase ? 0 : Pattern.CASE_INSENSITIVE),
                    matchCase ? expression.literal() : "",
                    expression.size());
        } catch (PatternSyntaxException e) {
            // as it was asked for, without what says that case does not matter
            String where = matchCase || e.getPattern() == null
                    ? e.getPattern()
                    : e.getPattern().replaceFirst("^\\(\\?i\\)", "");
            throw new IllegalArgumentException(
                    "The expression can not be read: " + e.getDescription()
                            + (where == null || where.isEmpty() ? "" : " in " + where)
                            + ". Its syntax is RE2's, without"
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
        public int find(byte[] piece, int length, GoOn goOn, Found found) throws IOException {
            int at = needle.in(piece, 0, length);
            while (at >= 0) {
                int end = at + needle.length();
                if (!found.match(at, end)) {
                    return end;
                }
                at = needle.in(piece, end, length);
            }
            return length;
        }
    }

    /** An expression, tried on lines one by one: on those that hold what every match holds, where there is such a thing. */
    final class Regex implements Finder {
        private static final int LONGEST_LINE = 64 << 10;
        private static final int SHORTEST_PART = 1 << 10;
        /** Bytes times the size of the expression: some tens of milliseconds. */
        private static final int WORK = 1 << 20;

        private static final Needle NEWLINE = new Needle("\n", true);

        private final Pattern pattern;
        private final @Nullable Needle literal;
        private final int size;
        private final int part;
        private final int overlap;

        Regex(Pattern pattern, String literal, int size) {
            this.pattern = pattern;
            this.literal = literal.isEmpty() ? null : new Needle(literal, true);
            this.size = Math.max(1, size);
            this.part = Math.clamp(WORK / this.size, SHORTEST_PART, LONGEST_LINE);
            this.overlap = Math.min(4 << 10, part / 4);
        }

        @Override
        public int overlap() {
            return overlap;
        }

        @Override
        public int find(byte[] piece, int length, GoOn goOn, Found found) throws IOException {
            long work = 0;
            int begin = candidate(piece, 0, length);
            while (begin >= 0 && begin < length) {
                int newline = NEWLINE.in(piece, begin, length);
                int end = newline < 0 ? length : newline;
                for (int from = begin; from < end || from == begin; from += part - overlap) {
                    int to = Math.min(end, from + part);
                    work += (long) size * (to - from);
                    if (work > WORK) {
                        work = 0;
                        if (!goOn.goesOn()) {
                            return from;
                        }
                    }
                    int stopped = inPart(piece, from, to, found);
                    if (stopped >= 0) {
                        return stopped;
                    }
                    if (to >= end) {
                        break;
                    }
                }
                begin = newline < 0 ? -1 : candidate(piece, newline + 1, length);
            }
            return length;
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

        /** A line without end is tried in parts that overlap; what was found is told once. -1: go on. */
        private int inPart(byte[] piece, int from, int to, Found found) throws IOException {
            byte[] line = Arrays.copyOfRange(piece, from, to);
            var matcher = pattern.matcher(line);
            int next = 0;
            while (next <= line.length && matcher.find(next)) {
                boolean empty = matcher.end() == matcher.start();
                if (!empty && !found.match(from + matcher.start(), from + matcher.end())) {
                    return from + matcher.end();
                }
                next = matcher.end() + (empty ? 1 : 0);
            }
            return -1;
        }
    }
}
