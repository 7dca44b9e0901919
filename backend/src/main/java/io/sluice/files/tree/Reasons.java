package io.sluice.files.tree;

import io.sluice.files.tree.Refused.Why;
import java.util.Map;

/** What a system's own words for a failure mean here. */
final class Reasons {
    private static final Map<String, Why> MEANT = Map.of(
            "No space left on device", Why.FULL,
            "Disk quota exceeded", Why.FULL,
            "Directory not empty", Why.NOT_EMPTY,
            "Is a directory", Why.EXISTS,
            "Not a directory", Why.NOT_A_FOLDER,
            "File exists", Why.EXISTS,
            "Invalid argument", Why.NOT_ALLOWED);

    private Reasons() {}

    static Why of(String reason) {
        return MEANT.getOrDefault(reason, Why.NOT_ALLOWED);
    }
}
