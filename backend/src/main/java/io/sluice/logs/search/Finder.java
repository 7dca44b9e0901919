package io.sluice.logs.search;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.sluice.logs.files.GoOn;
import java.io.IOException;

/** Finds matches in a piece of a log that ends where a line does, if it can. */
interface Finder {
    /** Told of each match, by its place in the piece; the answer is whether to go on. */
    interface Found {
        boolean match(int start, int end) throws IOException;
    }

    /**
     * What is looked through at once.
     *
     * @param begins whether a line begins with it; else its first byte only tells what is before the second
     * @param ends whether a line ends with it; else what reaches its end is left to the next piece, which overlaps
     */
    record Piece(int length, boolean begins, boolean ends) {}

    /** How much of a piece is looked at again with the next one, when a line is longer than a piece. */
    int overlap();

    /** The answer is how much of the piece was looked at: less than its length where it was not to go on. */
    int find(byte[] bytes, Piece piece, GoOn goOn, Found found) throws IOException;

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
        public int find(byte[] bytes, Piece piece, GoOn goOn, Found found) throws IOException {
            int at = needle.in(bytes, 0, piece.length());
            while (at >= 0) {
                int end = at + needle.length();
                if (!found.match(at, end)) {
                    return end;
                }
                at = needle.in(bytes, end, piece.length());
            }
            return piece.length();
        }
    }
}
