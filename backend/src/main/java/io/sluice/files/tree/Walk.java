package io.sluice.files.tree;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is in a folder, and in those in it, folders before what they hold. It goes on where somebody takes things away meanwhile. */
public final class Walk implements AutoCloseable {
    private static final int DEEPEST = 200;

    /**
     * @param place from where the walk began
     * @param folder in which it is; open until the next is asked for
     */
    public record Step(Place place, Folder folder, Found found) {}

    private record Level(Folder folder, Place place, Iterator<String> names) {}

    private final Deque<Level> levels = new ArrayDeque<>();
    private final List<String> leftOut = new ArrayList<>();
    private final int most;
    private final int mostOfOne;
    private @Nullable Step last;
    private int met;

    /**
     * @param begin closed by the walk
     * @param most that are met before it ends
     */
    public Walk(Folder begin, int most, int mostOfOne) throws IOException {
        this.most = most;
        this.mostOfOne = mostOfOne;
        enter(begin, Place.ROOT);
    }

    private void enter(Folder folder, Place place) throws IOException {
        try {
            levels.push(new Level(folder, place, Names.all(folder, mostOfOne).iterator()));
        } catch (IOException e) {
            folder.close();
            throw e;
        }
    }

    /** Null: that was all. */
    public @Nullable Step next() throws IOException {
        descend();
        while (!levels.isEmpty()) {
            Level level = levels.element();
            if (!level.names().hasNext()) {
                levels.remove().folder().close();
                continue;
            }
            if (met >= most) {
                throw new Refused(Refused.Why.TOO_MANY, "");
            }
            Place place = level.place().with(level.names().next());
            met++;
            try {
                last = new Step(place, level.folder(), level.folder().found(place.name()));
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
        if (refused.why() != Refused.Why.MISSING) {
            leftOut.add(Place.shown(String.join("/", place.names())));
        }
    }

    /** The next step does not go into what was met last. */
    public void pass() {
        last = null;
    }

    public List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    public int met() {
        return met;
    }

    @Override
    public void close() {
        levels.forEach(level -> level.folder().close());
        levels.clear();
    }
}
