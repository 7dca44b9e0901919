package io.sluice.files.centre;

import io.sluice.files.tree.Place;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a request says of files. */
final class Asked {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

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
