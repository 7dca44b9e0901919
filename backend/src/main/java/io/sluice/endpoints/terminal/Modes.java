package io.sluice.endpoints.terminal;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a program has switched in a terminal that lasts beyond the bytes that did it: another screen, no cursor, a mouse. */
final class Modes {
    /** On from the beginning. */
    private static final Set<Integer> USUAL = Set.of(7, 25);

    private static final Set<Integer> KNOWN =
            Set.of(1, 7, 25, 47, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1047, 1049, 2004);
    private static final int LONGEST = 64;
    private static final byte ESCAPE = 0x1b;
    private static final byte BELL = 7;

    private enum Place {
        BETWEEN,
        ESCAPED,
        CONTROL,
        /** A title and the like, up to a bell or an escaped backslash. */
        TEXT
    }

    private final Map<Integer, Boolean> switched = new TreeMap<>();
    private final StringBuilder control = new StringBuilder();
    private Place place = Place.BETWEEN;
    /** Bytes that the letter has still to come with. */
    private int letter;

    Modes copy() {
        var copy = new Modes();
        copy.switched.putAll(switched);
        copy.control.append(control);
        copy.place = place;
        copy.letter = letter;
        return copy;
    }

    /** Whether what comes next can stand at the beginning. */
    boolean isBetween() {
        return place == Place.BETWEEN && letter == 0;
    }

    void take(byte next) {
        switch (place) {
            case BETWEEN -> between(next);
            case ESCAPED -> escaped(next);
            case CONTROL -> control(next);
            case TEXT -> {
                if (next == ESCAPE) {
                    place = Place.ESCAPED;
                } else if (next == BELL) {
                    place = Place.BETWEEN;
                }
            }
        }
    }

    private void between(byte next) {
        if (next == ESCAPE) {
            place = Place.ESCAPED;
            letter = 0;
        } else if (next >= 0) {
            letter = 0;
        } else if ((next & 0xc0) == 0x80) {
            letter = Math.max(0, letter - 1);
        } else {
            letter = (next & 0xe0) == 0xc0 ? 1 : (next & 0xf0) == 0xe0 ? 2 : 3;
        }
    }

    private void escaped(byte next) {
        control.setLength(0);
        place = switch (next) {
            case '[' -> Place.CONTROL;
            case ']', 'P', '_', '^', 'X' -> Place.TEXT;
            case ESCAPE -> Place.ESCAPED;
            // a set of letters is named by one more
            case '(', ')', '*', '+', '#', ' ', '%' -> Place.ESCAPED;
            default -> Place.BETWEEN;
        };
        if (next == 'c') {
            switched.clear();
        }
    }

    private void control(byte next) {
        if (next == ESCAPE) {
            place = Place.ESCAPED;
        } else if (next < 0x40 && control.length() < LONGEST) {
            control.append((char) next);
        } else {
            place = Place.BETWEEN;
            if (control.length() > 1 && control.charAt(0) == '?' && (next == 'h' || next == 'l')) {
                switched(next == 'h');
            }
        }
    }

    private void switched(boolean on) {
        for (String number : control.substring(1).split(";")) {
            if (number.matches("\\d{1,4}") && KNOWN.contains(Integer.valueOf(number))) {
                int mode = Integer.parseInt(number);
                if (USUAL.contains(mode) == on) {
                    switched.remove(mode);
                } else {
                    switched.put(mode, on);
                }
            }
        }
    }

    /** What brings a fresh terminal to the same. */
    String again() {
        var text = new StringBuilder();
        switched.forEach((mode, on) ->
                text.append((char) ESCAPE).append("[?").append(mode.intValue()).append(on ? 'h' : 'l'));
        return text.toString();
    }
}
