package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Refused.Why;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Puts what has been made aside into a folder in which there may be something already: all of it, or nothing. */
public final class Merging {
    private static final int AT_ONCE = 10_000;
    /** Each takes two folders that are open. No archive is deeper, but somebody may put more there meanwhile. */
    private static final int DEEPEST = 200;
    /** Steps that are taken one by one, each of which may have to be undone. */
    private static final int MOST = 100_000;

    /** What becomes of two files of one name. */
    public enum Collisions {
        /** Nothing is put there. */
        REFUSE,
        /** What is there stays. */
        KEEP,
        REPLACE
    }

    private final Collisions collisions;
    private final Copying.Moved heard;
    /** Whether the disk gives two files each other's name at one blow, as most do. */
    private final boolean swaps;

    private int toDo;

    private Merging(Collisions collisions, Copying.Moved heard, boolean swaps) {
        this.collisions = collisions;
        this.heard = heard;
        this.swaps = swaps;
    }

    /** What gateways that have ended left half done among the files of a space is undone. */
    public static int undoLeft(Space space) throws IOException {
        return undoLeft(space, bytes -> {});
    }

    /** @param heard of each thing that is removed */
    static int undoLeft(Space space, Copying.Moved heard) throws IOException {
        return Journal.undoLeft(space, System.currentTimeMillis(), heard);
    }

    /**
     * @param made in the temporary folder, where it is no more afterwards
     * @param place of the target in its space
     */
    public static void into(
            Folder temporary, String made, Folder target, Place place, Collisions collisions, Copying.Moved heard)
            throws IOException {
        into(temporary, made, target, place, new Merging(collisions, heard, true));
    }

    static void into(Folder temporary, String made, Folder target, Place place, Merging merging) throws IOException {
        try (Folder aside = temporary.folder(made)) {
            merging.compare(aside, target, 0);
            try (Journal journal = Journal.begin(temporary, made, place)) {
                try {
                    merging.merge(aside, target, Place.ROOT, journal);
                } catch (Throwable e) { // not only what is foreseen: half of it would stay
                    journal.undo(target, e);
                    throw e;
                }
                journal.end();
            }
        }
    }

    static Merging withoutSwaps(Collisions collisions, Copying.Moved heard) {
        return new Merging(collisions, heard, false);
    }

    /** What is going to be in the way is told before anything is moved. */
    private void compare(Folder from, Folder to, int depth) throws IOException {
        each(from, name -> {
            toDo++;
            bounded(toDo <= MOST && depth < DEEPEST, name);
            Found there = there(to, name);
            if (there == null) {
                return;
            }
            Found here = from.found(name);
            if (here.isFolder() && there.isFolder()) {
                try (Folder inner = from.folder(name);
                        Folder other = to.folder(name)) {
                    compare(inner, other, depth + 1);
                }
            } else if (collisions == Collisions.REFUSE
                    || (collisions == Collisions.REPLACE && (here.isFolder() || there.isFolder()))) {
                throw new Refused(Why.EXISTS, name);
            }
        });
    }

    private static void bounded(boolean so, String name) throws Refused {
        if (!so) {
            throw new Refused(Why.TOO_MANY, name);
        }
    }

    private static @Nullable Found there(Folder folder, String name) throws IOException {
        return folder.has(name) ? folder.found(name) : null;
    }

    /** What is done with each name. */
    @FunctionalInterface
    private interface Step {
        void take(String name) throws IOException;
    }

    private void each(Folder folder, Step step) throws IOException {
        @Nullable String after = null;
        for (boolean more = true; more; ) {
            Names.Page page = Names.page(folder, after, AT_ONCE);
            for (String name : page.names()) {
                heard.on(0);
                step.take(name);
                after = name;
            }
            more = page.more() && !page.names().isEmpty();
        }
    }

    private void merge(Folder from, Folder to, Place place, Journal journal) throws IOException {
        each(from, name -> {
            bounded(journal.written() < MOST && place.names().size() < DEEPEST, name);
            journal.hear();
            if (!to.has(name) && moved(from, to, place, name, journal)) {
                return;
            }
            Found here = from.found(name);
            if (here.isFolder() && to.found(name).isFolder()) {
                try (Folder inner = from.folder(name);
                        Folder other = to.folder(name)) {
                    merge(inner, other, place.with(name), journal);
                }
            } else if (collisions == Collisions.REPLACE) {
                replace(from, to, place, name, journal);
            } else if (collisions == Collisions.REFUSE) {
                throw new Refused(Why.EXISTS, name);
            }
        });
        to.settle();
    }

    /** False: somebody has put something there at this moment. */
    private static boolean moved(Folder from, Folder to, Place above, String name, Journal journal) throws IOException {
        journal.will(Journal.How.MOVED, above, name, from.found(name));
        try {
            from.move(name, to, name);
            return true;
        } catch (Refused refused) {
            if (refused.why() != Why.EXISTS) {
                throw refused;
            }
            return false;
        }
    }

    private void replace(Folder from, Folder to, Place above, String name, Journal journal) throws IOException {
        Found thing = from.found(name);
        if (thing.isFolder() || to.found(name).isFolder()) {
            throw new Refused(Why.EXISTS, name);
        }
        journal.will(Journal.How.SWAPPED, above, name, thing);
        if (!swaps || !from.swap(name, to, name)) {
            // a disk that knows no such thing, or somebody else's file, which this says
            journal.will(Journal.How.LAID_ASIDE, above, name, thing);
            journal.layAside(to, name);
            from.move(name, to, name);
        }
    }
}
