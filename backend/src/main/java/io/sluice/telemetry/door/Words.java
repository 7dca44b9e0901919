package io.sluice.telemetry.door;

import io.sluice.web.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of an expression in PromQL. Only what the provisioned panels are made of is read; what Prometheus would read besides (escapes,
 * comments, letters of the whole world) is refused, because nothing here needs it.
 */
final class Words {
    /** How long an expression may be. */
    static final int MOST_CHARACTERS = 8_192;

    private static final Pattern WORD = Pattern.compile(
            "\\s*(?:(?<name>[A-Za-z_:][A-Za-z0-9_:]*)|(?<number>\\d[\\w.]*)"
                    + "|(?<text>\"[^\"\\\\\\n]*\"|'[^'\\\\\\n]*'|`[^`]*`)|(?<gap>\\$\\w+)|(?<sign>[(){}\\[\\],=!~<>+*/%^@.-]))");

    /** What a word is. */
    enum Kind {
        NAME,
        NUMBER,
        TEXT,
        SIGN
    }

    /** @param said of a text what is between its quotes */
    record Word(Kind kind, String said) {}

    private Words() {}

    static List<Word> of(String expression) {
        if (expression.length() > MOST_CHARACTERS) {
            throw Problem.invalid("The expression is longer than " + MOST_CHARACTERS + " characters.");
        }
        List<Word> words = new ArrayList<>();
        String rest = expression.stripTrailing();
        Matcher word = WORD.matcher(rest);
        int at = 0;
        while (at < rest.length()) {
            if (!word.region(at, rest.length()).lookingAt()) {
                throw Problem.invalid("The expression can not be read from character " + (at + 1)
                        + ". The panels of the dashboards that come with Sluice are answered as they are.");
            }
            words.add(word(word));
            at = word.end();
        }
        return words;
    }

    private static Word word(Matcher found) {
        String text = found.group("text");
        if (text != null) {
            return new Word(Kind.TEXT, text.substring(1, text.length() - 1));
        }
        if (found.group("name") != null) {
            return new Word(Kind.NAME, found.group("name"));
        }
        if (found.group("sign") != null) {
            return new Word(Kind.SIGN, found.group("sign"));
        }
        // a variable stands for a time where no quotes are around it
        return new Word(
                Kind.NUMBER,
                found.group("number") != null ? found.group("number") : String.valueOf(found.group("gap")));
    }
}
