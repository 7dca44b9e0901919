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
     * @param swapped what was there is aside now
     */
    private record Done(Place place, boolean swapped) {}

    private final Folder aside;
    private final Folder target;
    private final Collisions collisions;
    private final Copying.Moved heard;
    private final Deque<Done> done = new ArrayDeque<>();

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
        merging.compare(aside, target);
        try {
            merging.merge(aside, target, Place.ROOT);
        } catch (IOException e) {
            merging.undo(e);
            throw e;
        }
    }

    /** What is going to be in the way is told before anything is moved. */
    private void compare(Folder from, Folder to) throws IOException {
        each(from, name -> {
            Found there = there(to, name);
            if (there == null) {
                return;
            }
            Found here = from.found(name);
            if (here.isFolder() && there.isFolder()) {
                try (Folder inner = from.folder(name);
                        Folder other = to.folder(name)) {
                    compare(inner, other);
                }
            } else if (collisions == Collisions.REFUSE
                    || (collisions == Collisions.REPLACE && (here.isFolder() || there.isFolder()))) {
                throw new Refused(Why.EXISTS, name);
            }
        });
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
            if (!to.has(name) && moved(from, to, place.with(name))) {
                return;
            }
            Found here = from.found(name);
            if (here.isFolder() && to.found(name).isFolder()) {
                try (Folder inner = from.folder(name);
                        Folder other = to.folder(name)) {
                    merge(inner, other, place.with(name));
                }
            } else if (collisions == Collisions.REPLACE) {
                replace(from, to, place.with(name));
            } else if (collisions == Collisions.REFUSE) {
                throw new Refused(Why.EXISTS, name);
            }
        });
        to.settle();
    }

    /** False: somebody has put something there at this moment. */
    private boolean moved(Folder from, Folder to, Place place) throws IOException {
        try {
            from.move(place.name(), to, place.name());
            done.push(new Done(place, false));
            return true;
        } catch (Refused refused) {
            if (refused.why() != Why.EXISTS) {
                throw refused;
            }
            return false;
        }
    }

    private void replace(Folder from, Folder to, Place place) throws IOException {
        if (from.found(place.name()).isFolder() || to.found(place.name()).isFolder()) {
            throw new Refused(Why.EXISTS, place.name());
        }
        if (from.swap(place.name(), to, place.name())) {
            done.push(new Done(place, true));
        } else {
            // a disk that knows no such thing, or somebody else's file, which this says
            from.replace(place.name(), to, place.name());
        }
    }

    private void undo(IOException why) {
        for (Done one : done) {
            String name = one.place().name();
            try (Folder there = target.folder(one.place().above());
                    Folder here = aside.folder(one.place().above())) {
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
