package io.sluice.files.centre;

import io.sluice.files.space.Merging;
import io.sluice.files.tree.Place;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a request says of files. */
final class Asked {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    private static final Pattern ARCHIVE = Pattern.compile("(?i)\\.(zip|tar|tgz|txz|tar\\.gz|tar\\.xz)$");

    /** @param to behind the last byte */
    record Range(long from, long to) {}

    private Asked() {}

    static Place place(Call call, String parameter) {
        return call.queryBytes(parameter).map(Asked::place).orElse(Place.ROOT);
    }

    static Place target(Call call) {
        return call.queryBytes("to")
                .map(Asked::place)
                .filter(place -> !place.isRoot())
                .orElseThrow(() -> Problem.invalid("Say where to, as in ?path=a&to=b."));
    }

    /** Where an archive's content goes, unless it is said: beside it, into a folder of its name without what tells its kind. */
    static Place unpacked(Call call, Place archive) {
        Optional<Place> told = call.queryBytes("to").map(Asked::place);
        if (told.isPresent() || archive.isRoot()) {
            return told.orElse(archive);
        }
        String name = ARCHIVE.matcher(archive.name()).replaceFirst("");
        if (name.isEmpty() || name.equals(archive.name())) {
            throw Problem.invalid("Say where to, as in ?path=a&to=b.");
        }
        return archive.above().with(name);
    }

    /** What becomes of two files of one name; null: what is unpacked goes into a folder that there is not. */
    static Merging.@Nullable Collisions collisions(Call call) {
        String word = call.query("collisions").orElse("");
        return switch (word) {
            case "" -> null;
            case "refuse" -> Merging.Collisions.REFUSE;
            case "keep" -> Merging.Collisions.KEEP;
            case "replace" -> Merging.Collisions.REPLACE;
            default -> throw Problem.invalid("collisions is refuse, keep or replace; without it, to is a new folder.");
        };
    }

    private static Place place(String path) {
        try {
            return Place.of(path);
        } catch (Place.Unspeakable unspeakable) {
            throw Problem.invalid(String.valueOf(unspeakable.getMessage()));
        }
    }

    static int count(Call call, String parameter, int usual, int most) {
        String text = call.query(parameter).orElse("" + usual);
        if (!text.matches("[1-9]\\d{0,5}") || Integer.parseInt(text) > most) {
            throw Problem.invalid(parameter + " is a number from 1 to " + most + ".");
        }
        return Integer.parseInt(text);
    }

    static boolean flag(Call call, String parameter) {
        return call.query(parameter)
                .filter(text -> text.equals("1") || text.equals("true"))
                .isPresent();
    }

    /** The one range that is wanted; null: all of it, as where a range is not understood. */
    static @Nullable Range range(Call call, long size, String etag) {
        Matcher range = RANGE.matcher(call.header("Range").orElse(""));
        boolean same = call.header("If-Range").map(etag::equals).orElse(true);
        if (!same
                || !range.matches()
                || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
            return null;
        }
        if (range.group(1).isEmpty()) {
            return new Range(Math.max(0, size - Long.parseLong(range.group(2))), size);
        }
        long last = range.group(2).isEmpty() ? size - 1 : Long.parseLong(range.group(2));
        return new Range(Long.parseLong(range.group(1)), Math.min(size, last + 1));
    }
}
