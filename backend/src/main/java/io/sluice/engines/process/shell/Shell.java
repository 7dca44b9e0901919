package io.sluice.engines.process.shell;

import io.sluice.engines.Exports;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Words as bash reads them back, whatever is in them. */
public final class Shell {

    private Shell() {}

    public static String quote(String text) {
        return Exports.quote(text);
    }

    public static String array(List<String> words) {
        return words.stream().map(Shell::quote).collect(Collectors.joining(" ", "(", ")"));
    }

    /** Assignments of text, or of an array where the value is a list. */
    public static String assignments(Map<String, Object> values) {
        var text = new StringBuilder();
        new TreeMap<>(values)
                .forEach((name, value) -> text.append(name)
                        .append('=')
                        .append(
                                value instanceof List<?> words
                                        ? array(words.stream()
                                                .map(Object::toString)
                                                .toList())
                                        : quote(value.toString()))
                        .append('\n'));
        return text.toString();
    }
}
