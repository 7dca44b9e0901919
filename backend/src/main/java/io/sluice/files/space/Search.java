package io.sluice.files.space;

import io.sluice.files.tree.Place;
import io.sluice.files.tree.Walk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds by name. */
public final class Search {
    private static final int MOST_FOUND = 200;
    private static final int MOST_MET = 300_000;
    private static final long LONGEST_NANOS = 5_000_000_000L;

    /** @param whole whether all was looked at */
    public record Found(List<Space.Entry> entries, boolean whole) {}

    private Search() {}

    public static Found find(Space space, Place in, String words) throws IOException {
        String wanted = words.toLowerCase(Locale.ROOT);
        long end = System.nanoTime() + LONGEST_NANOS;
        List<Space.Entry> found = new ArrayList<>();
        try (Walk walk = new Walk(space.folder(in), MOST_MET + 1)) {
            for (Walk.Step step = walk.next(); step != null; step = walk.next()) {
                if (in.isRoot() && step.place().names().equals(List.of(Space.OWN))) {
                    walk.pass();
                    continue;
                }
                if (walk.met() > MOST_MET || found.size() >= MOST_FOUND || System.nanoTime() - end > 0) {
                    return new Found(found, false);
                }
                if (Place.shown(step.place().name()).toLowerCase(Locale.ROOT).contains(wanted)) {
                    found.add(new Space.Entry(in.then(step.place()), step.found()));
                }
            }
            return new Found(found, walk.leftOut().isEmpty());
        }
    }
}
