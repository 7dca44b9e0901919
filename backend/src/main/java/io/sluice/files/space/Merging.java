package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Refused.Why;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Puts what has been made aside into a folder in which there may be something already: all of it, or nothing. */
public final class Merging {
    private static final int AT_ONCE = 10_000;
    /** Each takes two folders that are open. No archive is deeper, but somebody may put more there meanwhile. */
    private static final int DEEPEST = 200;
    /** What is done is kept until all of it is, for it may have to be undone. */
    private static final int MOST = 100_000;

    /** What becomes of two files of one name. */
    public enum Collisions {
        /** Nothing is put there. */
        REFUSE,
        /** What is there stays. */
        KEEP,
        REPLACE
    }

    /**
     * Something that has been done.
     *
     * @param above the folder that it is in, the same for all in it
     * @param swapped what was there is aside now
     */
    private record Done(Place above, String name, boolean swapped) {}

    private final Folder aside;
    private final Folder target;
    private final Collisions collisions;
    private final Copying.Moved heard;
    private final Deque<Done> done = new ArrayDeque<>();
    private int toDo;

    private Merging(Folder aside, Folder target, Collisions collisions, Copying.Moved heard) {
        this.aside = aside;
        this.target = target;
        this.collisions = collisions;
        this.heard = heard;
    }

    /** @param aside a folder of which nothing is needed afterwards */
    public static void into(Folder aside, Folder target, Collisions collisions, Copying.Moved heard)
            throws IOException {
        var merging = new Merging(aside, target, collisions, heard);
        merging.compare(aside, target, 0);
        try {
            merging.merge(aside, target, Place.ROOT);
        } catch (Throwable e) { // not only what is foreseen: half of it would stay
            merging.undo(e);
            throw e;
        }
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

    private void merge(Folder from, Folder to, Place place) throws IOException {
        each(from, name -> {
            bounded(done.size() < MOST && place.names().size() < DEEPEST, name);
            if (!to.has(name) && moved(from, to, place, name)) {
                return;
            }
            Found here = from.found(name);
            if (here.isFolder() && to.found(name).isFolder()) {
                try (Folder inner = from.folder(name);
                        Folder other = to.folder(name)) {
                    merge(inner, other, place.with(name));
                }
            } else if (collisions == Collisions.REPLACE) {
                replace(from, to, place, name);
            } else if (collisions == Collisions.REFUSE) {
                throw new Refused(Why.EXISTS, name);
            }
        });
        to.settle();
    }

    /** False: somebody has put something there at this moment. */
    private boolean moved(Folder from, Folder to, Place above, String name) throws IOException {
        try {
            from.move(name, to, name);
            done.push(new Done(above, name, false));
            return true;
        } catch (Refused refused) {
            if (refused.why() != Why.EXISTS) {
                throw refused;
            }
            return false;
        }
    }

    private void replace(Folder from, Folder to, Place above, String name) throws IOException {
        if (from.found(name).isFolder() || to.found(name).isFolder()) {
            throw new Refused(Why.EXISTS, name);
        }
        if (from.swap(name, to, name)) {
            done.push(new Done(above, name, true));
        } else {
            // a disk that knows no such thing, or somebody else's file, which this says
            from.replace(name, to, name);
        }
    }

    private void undo(Throwable why) {
        for (Done one : done) {
            String name = one.name();
            try (Folder there = target.folder(one.above());
                    Folder here = aside.folder(one.above())) {
                if (!one.swapped()) {
                    there.move(name, here, name);
                } else if (!here.swap(name, there, name)) {
                    throw new Refused(Why.NOT_ALLOWED, name);
                }
            } catch (IOException left) {
                why.addSuppressed(left);
            }
        }
    }
}
