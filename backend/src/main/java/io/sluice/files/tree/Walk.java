package io.sluice.files.tree;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
        List<String> names = List.of();
        /** Of the next name. */
        int at;

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
        level.names = page.names();
        level.at = 0;
        level.more = page.more() && !page.names().isEmpty();
        level.after = level.more ? page.names().getLast() : "";
    }

    /** Null: that was all. */
    public @Nullable Step next() throws IOException {
        for (Level level = level(); level != null; level = level()) {
            if (met >= most) {
                throw new Refused(Refused.Why.TOO_MANY, "");
            }
            Place place = level.place.with(level.names.get(level.at));
            pass(level, 1);
            try {
                last = new Step(place, level.folder, level.folder.found(place.name()));
                return last;
            } catch (Refused refused) {
                leave(place, refused);
            }
        }
        return null;
    }

    /** In which the next name is. Null: there is none. */
    private @Nullable Level level() throws IOException {
        descend();
        while (!levels.isEmpty()) {
            Level level = levels.element();
            if (level.at < level.names.size()) {
                return level;
            }
            if (level.more) {
                turn(level);
            } else {
                levels.remove().folder.close();
            }
        }
        return null;
    }

    private void pass(Level level, int count) {
        level.at += count;
        known -= count;
        met += count;
    }

    /**
     * Names that come next, of one folder, none of which has been looked at. Null: there are none.
     *
     * @param place of the folder, from where the walk began
     */
    public record Ahead(Place place, Folder folder, List<String> names) {}

    public @Nullable Ahead ahead(int count) throws IOException {
        Level level = level();
        if (level == null || met >= most) {
            return null;
        }
        int end = Math.min(level.names.size(), level.at + Math.min(count, most - met));
        return new Ahead(level.place, level.folder, level.names.subList(level.at, end));
    }

    /** So many of those that come next have been seen to. */
    public void pass(int count) {
        pass(levels.element(), count);
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
