package io.sluice.files.space;

import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Names;
import io.sluice.files.tree.OpenFile;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import io.sluice.files.tree.Walk;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What is being put among what is there already. Each step is written down before it is taken, beside what was made aside and what was in the
 * way: of a gateway that has ended in the middle, whoever comes next undoes it. Whoever is at it is heard of again and again.
 */
final class Journal implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Journal.class.getName());
    private static final String STEPS = "steps";
    private static final String ASIDE = "aside";
    private static final String OLD = "old";
    private static final long HEARD_EVERY_MILLIS = 5_000;
    private static final long SILENT_MILLIS = 60_000;
    private static final int LONGEST = 60_000;
    private static final int AT_ONCE = 10_000;
    private static final int MOST = 1_000_000;

    /** How something came into its place. */
    enum How {
        MOVED,
        /** What was there is aside by the same name. */
        SWAPPED,
        /** What was there lies among the old, by the number of the step: this disk swaps nothing. */
        LAID_ASIDE
    }

    private final Folder temporary;
    private final String name;
    private final Folder work;
    private final FileChannel steps;
    private int written;
    private long heard = System.currentTimeMillis();

    private Journal(Folder temporary, String name, Folder work, FileChannel steps) {
        this.temporary = temporary;
        this.name = name;
        this.work = work;
        this.steps = steps;
    }

    /** @param made what has been made aside, which goes with the journal */
    static Journal begin(Folder temporary, String made, Place target) throws IOException {
        String name = Space.fresh();
        temporary.makeClosed(name);
        Folder work = temporary.folder(name);
        try {
            work.makeClosed(OLD);
            temporary.move(made, work, ASIDE);
            var journal = new Journal(temporary, name, work, work.create(STEPS));
            journal.write(String.join("/", target.names()));
            return journal;
        } catch (IOException e) {
            work.close();
            Removal.ifThere(temporary, name);
            throw e;
        }
    }

    /** No name holds a NUL, and what has none at its end was not written to its end. */
    private void write(String text) throws IOException {
        Space.write(steps, (text + "\0").getBytes(StandardCharsets.ISO_8859_1));
    }

    /** It is about to be done. */
    void will(How how, Place above, String name, Found thing) throws IOException {
        hear();
        written++;
        write(how + " " + thing.number() + " "
                + String.join("/", above.with(name).names()));
    }

    int written() {
        return written;
    }

    /** Moves what is in the way, by the number of the step that was written last. */
    void layAside(Folder folder, String name) throws IOException {
        try (Folder old = work.folder(OLD)) {
            folder.move(name, old, "" + written);
        }
    }

    /** Whoever was silent for long has been taken for ended. */
    void hear() throws IOException {
        long now = System.currentTimeMillis();
        if (now - heard < HEARD_EVERY_MILLIS) {
            return;
        }
        if (now - heard > SILENT_MILLIS / 2 && isLost()) {
            throw new IOException("another gateway has undone what this one took too long for");
        }
        work.finish(STEPS, 0600, now);
        heard = now;
    }

    private boolean isLost() throws IOException {
        return !temporary.has(name);
    }

    /** All is where it is to be, or as it was. */
    void end() throws IOException {
        end(bytes -> {});
    }

    private void end(Copying.Moved heard) throws IOException {
        work.remove(STEPS);
        Removal.ifThere(temporary, name, heard);
    }

    /** What can not be undone now stays written down, with what was in its way. */
    void undo(Folder target, Throwable why) {
        try {
            if (!isLost()) {
                undo(target, Long.MAX_VALUE);
                end();
            }
        } catch (IOException left) {
            why.addSuppressed(left);
        }
    }

    private void undo(Folder target, long latest) throws IOException {
        try (OpenFile file = work.read(STEPS);
                Folder aside = work.folder(ASIDE);
                Folder old = work.folder(OLD);
                BufferedReader in =
                        new BufferedReader(Channels.newReader(file.channel(), StandardCharsets.ISO_8859_1))) {
            next(in);
            int at = 1;
            for (String step = next(in); step != null; step = next(in)) {
                hear();
                String[] said = step.split(" ", 3);
                Place place = Place.of(said[2]);
                try (Folder there = target.folder(place.above());
                        Folder here = aside.folder(place.above())) {
                    var undoing = new Undoing(there, here, place.name(), Long.parseLong(said[1]), latest);
                    undoing.undo(How.valueOf(said[0]), old, "" + at);
                } catch (Refused refused) {
                    if (refused.why() != Refused.Why.MISSING) {
                        throw refused; // whoever has removed the folder has removed what is in it
                    }
                }
                at++;
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | Place.Unspeakable spoilt) {
            throw new IOException("somebody has written into " + name + "/" + STEPS, spoilt);
        }
    }

    /** Null: that was all. */
    private static @Nullable String next(BufferedReader in) throws IOException {
        var text = new StringBuilder();
        int one = in.read();
        for (; one > 0; one = in.read()) {
            if (text.length() == LONGEST) {
                throw new IllegalArgumentException("longer than a path");
            }
            text.append((char) one);
        }
        return one < 0 ? null : text.toString();
    }

    /**
     * One step.
     *
     * @param number of what was put there: what has the name by now may be another's
     * @param latest when it may have been changed, in nanoseconds since 1970: what somebody has changed since is theirs
     */
    private record Undoing(Folder there, Folder here, String name, long number, long latest) {
        void undo(How how, Folder old, String oldName) throws IOException {
            boolean ours = isOurs();
            if (how == How.SWAPPED) {
                if (ours && here.has(name) && !here.swap(name, there, name)) {
                    throw new Refused(Refused.Why.NOT_ALLOWED, name);
                }
                return;
            }
            if (ours && !here.has(name)) {
                there.move(name, here, name);
            }
            if (how == How.LAID_ASIDE && old.has(oldName) && !there.has(name)) {
                old.move(oldName, there, name);
            }
        }

        private boolean isOurs() throws IOException {
            if (!there.has(name)) {
                return false;
            }
            Found found = there.found(name);
            return found.number() == number
                    && found.status() <= latest
                    && (!found.isFolder() || latest == Long.MAX_VALUE || isUntouched());
        }

        private boolean isUntouched() throws IOException {
            try (Walk walk = new Walk(there.folder(name), MOST)) {
                for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                    if (step.found().status() > latest) {
                        return false;
                    }
                }
                return true;
            }
        }
    }

    /** What gateways that have ended left half done is undone. */
    static int undoLeft(Space space, long now, Copying.Moved heard) throws IOException {
        int undone = 0;
        try (Folder temporary = space.temporary()) {
            for (String name : Names.page(temporary, null, AT_ONCE).names()) {
                try {
                    undone += name.matches("[0-9a-f]{28}") && undoLeft(space, temporary, name, now, heard) ? 1 : 0;
                } catch (Removal.Enough enough) {
                    throw enough;
                } catch (IOException e) {
                    LOG.log(Level.WARNING, "event=merging-not-undone in=" + space.root() + " name=" + name, e);
                }
            }
        }
        return undone;
    }

    private static boolean undoLeft(Space space, Folder temporary, String name, long now, Copying.Moved removed)
            throws IOException {
        if (!temporary.has(name) || !temporary.found(name).isFolder()) {
            return false;
        }
        try (Folder work = temporary.folder(name)) {
            if (!work.has(STEPS)) {
                return false;
            }
            long heard = work.found(STEPS).changed();
            if (now - heard < SILENT_MILLIS) {
                return false;
            }
            work.finish(STEPS, 0600, now);
            String mine = Space.fresh();
            temporary.move(name, temporary, mine); // of several gateways one does this
            try (FileChannel steps = work.append(STEPS).channel()) {
                undoLeft(space, new Journal(temporary, mine, work, steps), heard, removed);
            }
            LOG.log(Level.INFO, "event=merging-undone in={0}", space.root());
            return true;
        }
    }

    private static void undoLeft(Space space, Journal journal, long heard, Copying.Moved removed) throws IOException {
        try (Folder target = space.folder(journal.target())) {
            journal.undo(target, (heard + SILENT_MILLIS) * 1_000_000);
        } catch (Refused refused) {
            if (refused.why() != Refused.Why.MISSING) {
                throw refused; // whoever has removed the folder has removed what is in it
            }
        }
        journal.end(removed);
    }

    private Place target() throws IOException {
        try (OpenFile file = work.read(STEPS);
                BufferedReader in =
                        new BufferedReader(Channels.newReader(file.channel(), StandardCharsets.ISO_8859_1))) {
            String target = next(in);
            return target == null ? Place.ROOT : Place.of(target);
        }
    }

    @Override
    public void close() throws IOException {
        work.close();
        steps.close();
    }
}
