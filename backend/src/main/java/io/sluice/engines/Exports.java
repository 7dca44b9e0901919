package io.sluice.engines;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Variables as a shell reads them back, whatever is in them. */
public final class Exports {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Set by an assignment, these would change, or be refused by, the bash that assigns. */
    private static final Set<String> SPECIAL =
            Set.of("BASHOPTS", "BASH_VERSINFO", "EUID", "FUNCNAME", "GROUPS", "IFS", "PPID", "SHELLOPTS", "UID", "_");

    /** Of whoever reads them, not of the task: another user has another home. */
    private static final Pattern OF_A_SHELL =
            Pattern.compile("(HOME|INTERACTIVE|LS_COLORS|PATH|PWD|BASH_|TINI_).*|OLDPWD|SHLVL|SHELL|USER|LOGNAME|ENV");

    private Exports() {}

    public static String quote(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** One line each, of names that a shell takes; its reader runs nothing of what stands in a value. */
    public static String of(Map<String, String> environment) {
        return new TreeMap<>(environment)
                .entrySet().stream()
                        .map(variable -> "export " + variable.getKey() + "=" + quote(variable.getValue()) + "\n")
                        .collect(Collectors.joining());
    }

    /** For {@link Task#ENVIRONMENT}. */
    public static String forAll(Map<String, String> environment) {
        var kept = new TreeMap<String, String>();
        environment.forEach((name, value) -> {
            if (isExportable(name) && !OF_A_SHELL.matcher(name).matches()) {
                kept.put(name, value);
            }
        });
        return of(kept);
    }

    /** Whether a bash can be told of this variable by an export; others it only hands on. */
    public static boolean isExportable(String variable) {
        return NAME.matcher(variable).matches() && !SPECIAL.contains(variable);
    }
}
