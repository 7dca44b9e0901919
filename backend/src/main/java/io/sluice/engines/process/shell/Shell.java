package io.sluice.engines.process.shell;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Words as bash reads them back, whatever is in them. */
public final class Shell {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Set by an assignment, these would change, or be refused by, the bash that assigns. */
    private static final Set<String> SPECIAL =
            Set.of("BASHOPTS", "BASH_VERSINFO", "EUID", "FUNCNAME", "GROUPS", "IFS", "PPID", "SHELLOPTS", "UID", "_");

    private Shell() {}

    public static String quote(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
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

    public static String exports(Map<String, String> environment) {
        return new TreeMap<>(environment)
                .entrySet().stream()
                        .map(variable -> "export " + variable.getKey() + "=" + quote(variable.getValue()) + "\n")
                        .collect(Collectors.joining());
    }

    /** Whether a bash can be told of this variable by an export; others it only hands on. */
    public static boolean isExportable(String variable) {
        return NAME.matcher(variable).matches() && !SPECIAL.contains(variable);
    }
}
