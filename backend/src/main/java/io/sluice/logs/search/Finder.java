package io.sluice.logs.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

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

    /** Bytes as characters below 256: finding those in a text is what the JVM does with vector instructions. */
    private static String asText(byte[] piece, int from, int to) {
        return new String(piece, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** A text as it stands, in UTF-8. */
    final class Plain implements Finder {
        private final String needle;
        private final boolean matchCase;

        Plain(String text, boolean matchCase) {
            byte[] bytes = (matchCase ? text : text.toLowerCase(Locale.ROOT)).getBytes(StandardCharsets.UTF_8);
            this.needle = asText(bytes, 0, bytes.length);
            this.matchCase = matchCase;
        }

        @Override
        public int overlap() {
            return needle.length() - 1;
        }

        @Override
        public void find(byte[] piece, int length, Found found) {
            String text = asText(matchCase ? piece : lowered(piece, length), 0, length);
            int at = text.indexOf(needle);
            while (at >= 0 && found.match(at, at + needle.length())) {
                at = text.indexOf(needle, at + needle.length());
            }
        }

        private static byte[] lowered(byte[] piece, int length) {
            byte[] lowered = new byte[length];
            for (int at = 0; at < length; at++) {
                byte letter = piece[at];
                lowered[at] = (byte) (letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
            }
            return lowered;
        }
    }

    /** An expression, tried on lines one by one: on those that hold what every match holds, where there is such a thing. */
    final class Regex implements Finder {
        private static final int LONGEST_LINE = 64 << 10;
        private static final int OVERLAP = 4 << 10;

        private final Pattern pattern;
        private final String literal;

        Regex(Pattern pattern, String literal) {
            this.pattern = pattern;
            byte[] bytes = literal.getBytes(StandardCharsets.UTF_8);
            this.literal = asText(bytes, 0, bytes.length);
        }

        @Override
        public int overlap() {
            return OVERLAP;
        }

        @Override
        public void find(byte[] piece, int length, Found found) {
            String text = asText(piece, 0, length);
            int begin = candidate(text, 0);
            while (begin >= 0 && begin < length) {
                int newline = text.indexOf('\n', begin);
                int end = newline < 0 ? length : newline;
                if (!inLine(piece, begin, end, found)) {
                    return;
                }
                begin = newline < 0 ? -1 : candidate(text, newline + 1);
            }
        }

        /** The beginning of the next line to be tried. */
        private int candidate(String text, int from) {
            if (literal.isEmpty()) {
                return from;
            }
            int at = text.indexOf(literal, from);
            return at < 0 ? -1 : Math.max(from, text.lastIndexOf('\n', at) + 1);
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
