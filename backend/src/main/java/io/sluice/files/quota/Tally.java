package io.sluice.files.quota;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import java.io.IOException;
import java.nio.file.Path;

/** How much is in a tree. A file with several names counts once, as far as all of them are in trees that are counted. */
public record Tally(long bytes, long files) {
    static final Tally NOTHING = new Tally(0, 0);

    /** By the gateway's own rights: who closes a folder has it all the same. */
    public static Tally of(Path root) throws IOException {
        try {
            return of(Folder.open(root, Owner.GATEWAY));
        } catch (Refused refused) {
            return NOTHING;
        }
    }

    /** @param folder closed when it is counted */
    public static Tally of(Folder folder) throws IOException {
        long bytes = 0;
        long files = 0;
        try (Walk walk = new Walk(folder, Integer.MAX_VALUE)) {
            for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                Found found = step.found();
                files++;
                bytes += found.isFile() ? found.size() / Math.max(1, found.links()) : 0;
            }
        }
        return new Tally(bytes, files);
    }

    public Tally plus(Tally other) {
        return new Tally(bytes + other.bytes, files + other.files);
    }
}
