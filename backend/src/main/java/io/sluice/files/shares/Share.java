package io.sluice.files.shares;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A folder that groups have in common.
 *
 * @param readers groups that may look; {@code writers} may look, too
 * @param everywhere whether jobs of theirs have it without asking for it
 */
public record Share(String name, String description, List<String> readers, List<String> writers, boolean everywhere) {
    public static final int LONGEST_DESCRIPTION = 500;
    /** What there always is, for everybody until an administrator says otherwise: to read, and to write. */
    public static final Share DATASETS = new Share("gdata", "", List.of("default"), List.of(), true);

    public static final Share COMMON = new Share("data", "", List.of(), List.of("default"), true);

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");
    /** That the file centre has for something else. */
    private static final Set<String> TAKEN = Set.of("output");

    public Share {
        readers = List.copyOf(readers);
        writers = List.copyOf(writers);
    }

    public static boolean isName(String name) {
        return NAME.matcher(name).matches() && !TAKEN.contains(name);
    }

    /** One that there always is. */
    public boolean isBuiltIn() {
        return name.equals(DATASETS.name()) || name.equals(COMMON.name());
    }

    /** Where tasks find it. */
    public String mount() {
        return isBuiltIn() ? "/" + name : "/mnt/" + name;
    }
}
