package io.sluice.files.tree;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is in a folder, and in those in it, folders before what they hold. It goes on where somebody takes things away meanwhile. */
public final class Walk implements AutoCloseable {
    private static final int DEEPEST = 200;
    private static final int MOST_LEFT_OUT = 1_000;
    private static final int MOST_NAMES = 10_000;
    private static final int LEAST = 500;

    /**
     * @param place from where the walk began
     * @param folder in which it is; open until the next is asked for
     */
    public record Step(Place place, Folder folder, Found found) {}

    /** A folder that is open, and of its names those that come next. */
    private static final class Level {
        final Folder folder;
        final Place place;
        Iterator<String> names = Collections.emptyIterator();
        String after = "";
        boolean more = true;

        Level(Folder folder, Place place) {
            this.folder = folder;
            this.place = place;
        }
    }

    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<String> leftOut = new ArrayList<>();
    private int leftOutToo;
    private final int most;
    private @Nullable Step last;
    private int met;
    /** Names that are still to be met. */
    private int known;

    /**
     * @param begin closed by the walk
     * @param most that are met before it ends
     */
    public Walk(Folder begin, int most) throws IOException {
        this.most = most;
        enter(begin, Place.ROOT);
    }

    private void enter(Folder folder, Place place) throws IOException {
        try {
            var level = new Level(folder, place);
            turn(level);
            levels.push(level);
        } catch (IOException e) {
            folder.close();
            throw e;
        }
    }

    /** However many are in however many folders in one another, only so many names are held at a time. */
    private void turn(Level level) throws IOException {
        Names.Page page = Names.page(
                level.folder, level.after.isEmpty() ? null : level.after, Math.max(LEAST, MOST_NAMES - known));
        known += page.names().size();
        level.names = page.names().iterator();
        level.more = page.more() && !page.names().isEmpty();
        level.after = level.more ? page.names().getLast() : "";
    }

    /** Null: that was all. */
    public @Nullable Step next() throws IOException {
        descend();
        while (!levels.isEmpty()) {
            Level level = levels.element();
            if (!level.names.hasNext()) {
                if (level.more) {
                    turn(level);
                } else {
                    levels.remove().folder.close();
                }
                continue;
            }
            if (met >= most) {
                throw new Refused(Refused.Why.TOO_MANY, "");
            }
            Place place = level.place.with(level.names.next());
            known--;
            met++;
            try {
                last = new Step(place, level.folder, level.folder.found(place.name()));
                return last;
            } catch (Refused refused) {
                leave(place, refused);
            }
        }
        return null;
    }

    private void descend() throws IOException {
        Step step = last;
        last = null;
        if (step == null || !step.found().isFolder()) {
            return;
        }
        if (levels.size() >= DEEPEST) {
            leave(step.place(), new Refused(Refused.Why.TOO_MANY, step.place().name()));
            return;
        }
        try {
            enter(step.folder().folder(step.place().name()), step.place());
        } catch (Refused refused) {
            leave(step.place(), refused);
        }
    }

    /** Whoever walks could do nothing with it, or may not. What has gone meanwhile is not missed. */
    public void leave(Place place, Refused refused) {
        if (refused.why() == Refused.Why.MISSING) {
            return;
        }
        if (leftOut.size() >= MOST_LEFT_OUT) {
            leftOutToo++;
        } else {
            leftOut.add(Place.shown(String.join("/", place.names())));
        }
    }

    /** The next step does not go into what was met last. */
    public void pass() {
        last = null;
    }

    /** The first of them, and how many there were more. */
    public List<String> leftOut() {
        List<String> told = new ArrayList<>(leftOut);
        if (leftOutToo > 0) {
            told.add("… +" + leftOutToo);
        }
        return told;
    }

    public int met() {
        return met;
    }

    @Override
    public void close() {
        levels.forEach(level -> level.folder.close());
        levels.clear();
    }
}
