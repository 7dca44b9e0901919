package io.sluice.files.quota;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What somebody has, and may have.
 *
 * @param files with folders and links
 * @param counted when all of it was; null: not yet
 * @param mostBytes 0: no limit
 */
public record Usage(long bytes, long files, @Nullable Instant counted, long mostBytes, long mostFiles) {
    static final Usage NONE = new Usage(0, 0, null, 0, 0);

    public boolean isLimited() {
        return mostBytes > 0 || mostFiles > 0;
    }

    public boolean isOver() {
        return isOver(0, 0);
    }

    boolean isOver(long moreBytes, long moreFiles) {
        return (mostBytes > 0 && bytes + moreBytes > mostBytes) || (mostFiles > 0 && files + moreFiles > mostFiles);
    }
}
