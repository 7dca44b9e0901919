package io.sluice.files.quota;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;

/** How much is in a tree. A file with several names counts once, as far as all of them are in trees that are counted. */
public record Tally(long bytes, long files) {
    static final Tally NOTHING = new Tally(0, 0);
    private static final System.Logger LOG = System.getLogger(Tally.class.getName());
    /** A tree that a job adds to all the time would have no end. */
    private static final Duration LONGEST = Duration.ofMinutes(30);

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
        return of(folder, LONGEST);
    }

    /** What was met until then. */
    static Tally of(Folder folder, Duration longest) throws IOException {
        long begin = System.nanoTime();
        long bytes = 0;
        long files = 0;
        try (Walk walk = new Walk(folder, Integer.MAX_VALUE)) {
            for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                Found found = step.found();
                files++;
                bytes += found.isFile() ? found.size() / Math.max(1, found.links()) : 0;
                if (System.nanoTime() - begin > longest.toNanos()) {
                    LOG.log(Level.WARNING, "event=files-not-all-counted last={0} files={1}", step.place(), files);
                    break;
                }
            }
        }
        return new Tally(bytes, files);
    }

    public Tally plus(Tally other) {
        return new Tally(bytes + other.bytes, files + other.files);
    }
}
