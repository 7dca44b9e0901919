package io.sluice.logs.search;

/**
 * What is looked for.
 *
 * @param regex whether {@code text} is an expression in RE2's syntax, matched within lines
 * @param plain whether it is looked for in what is seen, where escape sequences are not
 * @param until where to end, exclusive
 * @param limit most matches
 * @param context lines to show before and after each match
 */
public record Query(
        String text, boolean regex, boolean matchCase, boolean plain, long from, long until, int limit, int context) {
    public static final int LONGEST = 1_000;
    public static final int MOST_MATCHES = 10_000;
    public static final int MOST_CONTEXT = 10;

    /** In the bytes as they are. */
    public Query(String text, boolean regex, boolean matchCase, long from, long until, int limit, int context) {
        this(text, regex, matchCase, false, from, until, limit, context);
    }

    public Query {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new IllegalArgumentException("A search needs a text of 1 to " + LONGEST + " characters.");
        }
        if (!regex && text.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("A search is for text within a line. Leave the line's end out.");
        }
    }
}
