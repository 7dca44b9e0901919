package io.sluice.logs.search;

import java.util.ArrayDeque;
import java.util.Deque;

/** What can be told of a regular expression without compiling it: how large it would become, and a text that every match holds. */
final class Expression {
    private static final int LARGEST = 1_000;
    private static final int SHORTEST_LITERAL = 3;

    private final String text;
    private final Deque<Long> sizes = new ArrayDeque<>();
    private final StringBuilder run = new StringBuilder();
    private String longest = "";
    /** Nothing need be in every match: there are alternatives, or case is left out of account from somewhere on. */
    private boolean loose;

    private long sum;
    private long last;

    Expression(String text) {
        this.text = text;
        for (int at = 0; at < text.length(); ) {
            at = step(at);
        }
        endRun();
    }

    /** Repetitions within repetitions multiply: {@code ((a{1000}){1000}){1000}} is short to write and long to run. */
    void checkSize() {
        if (sum > LARGEST) {
            throw new IllegalArgumentException("The expression repeats too much. Use smaller numbers in {}.");
        }
    }

    /** How many steps a character may take, about. */
    int size() {
        return (int) Math.min(Integer.MAX_VALUE, sum);
    }

    /** A text that every match holds; empty: none was found. */
    String literal() {
        return loose || longest.length() < SHORTEST_LITERAL ? "" : longest;
    }

    private int step(int at) {
        char character = text.charAt(at);
        switch (character) {
            case '(' -> open(at);
            case ')' -> close();
            case '|' -> loose = true;
            case '*', '?' -> loseLast();
            case '+' -> endRun();
            case '^', '$', '.' -> other();
            case '[' -> {
                other();
                return endOfClass(at);
            }
            case '{' -> {
                return repeat(at);
            }
            case '\\' -> {
                return escape(at);
            }
            default -> literal(character);
        }
        return at + 1;
    }

    /** What stands in a group may be optional: only what is outside counts. A group may also switch the case of all that follows. */
    private void open(int at) {
        endRun();
        boolean flags = text.startsWith("(?", at) && !text.startsWith("(?P", at) && !text.startsWith("(?<", at);
        if (flags) {
            int end = at + 2;
            while (end < text.length() && text.charAt(end) != ':' && text.charAt(end) != ')') {
                loose |= text.charAt(end++) == 'i';
            }
        }
        sizes.push(sum);
        sum = 0;
    }

    private void close() {
        run.setLength(0);
        last = Math.max(1, sum);
        sum = (sizes.isEmpty() ? 0 : sizes.pop()) + last;
    }

    private void literal(char character) {
        atom();
        if (sizes.isEmpty()) {
            run.append(character);
        }
    }

    private void other() {
        endRun();
        atom();
    }

    private void atom() {
        last = 1;
        sum++;
    }

    private int escape(int at) {
        char escaped = at + 1 < text.length() ? text.charAt(at + 1) : ' ';
        if (escaped == 'Q') {
            int end = text.indexOf("\\E", at);
            int stop = end < 0 ? text.length() : end;
            other();
            sum += Math.max(0, stop - at - 3);
            return end < 0 ? stop : end + 2;
        }
        if (Character.isLetterOrDigit(escaped)) {
            other();
            return endOfEscape(escaped, at + 2);
        }
        literal(escaped);
        return at + 2;
    }

    /** A character or a class by its number or name: {@code \x41}, {@code \x{41}}, {@code \101}, {@code \pL}, {@code \p{Greek}}. */
    private int endOfEscape(char escaped, int next) {
        boolean named = escaped == 'p' || escaped == 'P';
        if ((named || escaped == 'x') && text.startsWith("{", next)) {
            return Math.max(next, text.indexOf('}', next)) + 1;
        }
        if (named || escaped == 'x') {
            return next + (named ? 1 : 2);
        }
        int end = next;
        while (escaped >= '0' && escaped <= '7' && end < next + 2 && end < text.length() && isOctal(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private static boolean isOctal(char digit) {
        return digit >= '0' && digit <= '7';
    }

    private int endOfClass(int at) {
        int end = at + 1;
        if (end < text.length() && text.charAt(end) == '^') {
            end++;
        }
        end += text.startsWith("]", end) ? 1 : 0; // in the first place it is one of the class
        while (end < text.length() && text.charAt(end) != ']') {
            int name = text.startsWith("[:", end) ? text.indexOf(":]", end + 2) : -1;
            end = name >= 0 ? name + 2 : end + (text.charAt(end) == '\\' ? 2 : 1);
        }
        return end + 1;
    }

    private int repeat(int at) {
        int end = text.indexOf('}', at);
        String inside = end < 0 ? "" : text.substring(at + 1, end);
        if (!inside.matches("\\d{1,4}(,\\d{0,4})?")) {
            literal('{');
            return at + 1;
        }
        loseLast();
        String[] bounds = inside.split(",");
        long most = Math.max(1, Long.parseLong(bounds[bounds.length - 1]));
        sum = Math.min(Integer.MAX_VALUE, sum + last * (most - 1));
        last = Math.min(Integer.MAX_VALUE, last * most);
        return end + 1;
    }

    /** The last character need not be there. */
    private void loseLast() {
        if (!run.isEmpty()) {
            run.setLength(run.offsetByCodePoints(run.length(), -1));
        }
        endRun();
    }

    private void endRun() {
        if (run.length() > longest.length()) {
            longest = run.toString();
        }
        run.setLength(0);
    }
}
