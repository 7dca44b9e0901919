package io.sluice.files.tree;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Where something is in a tree. A name is whatever bytes a disk keeps, each as one character from 0 to 255, so that none is lost or told
 * otherwise on the way.
 */
public record Place(List<String> names) {
    public static final Place ROOT = new Place(List.of());
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST = 4_000;
    private static final int DEEPEST = 200;
    private static final String PLAIN = "-._~";
    private static final Path NOWHERE = Path.of("/dev/null");

    /** What was asked for is the name of nothing. Its message says what to do. */
    public static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unspeakable(String message) {
            super(message, null, false, false);
        }
    }

    public Place {
        names = List.copyOf(names);
    }

    /** @param path bytes, as characters from 0 to 255; slashes between the names */
    public static Place of(String path) {
        if (path.length() > LONGEST) {
            throw new Unspeakable("The path is longer than " + LONGEST + " bytes. Shorten it.");
        }
        List<String> names = new ArrayList<>();
        for (String name : path.split("/", -1)) {
            if (!name.isEmpty()) {
                names.add(name(name));
            }
        }
        if (names.size() > DEEPEST) {
            throw new Unspeakable("The path has more than " + DEEPEST + " folders in one another.");
        }
        return new Place(names);
    }

    public static Place of(byte[] path) {
        return of(new String(path, StandardCharsets.ISO_8859_1));
    }

    /** A name as people write it. */
    public static String raw(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String name(String name) {
        if (name.equals(".") || name.equals("..")) {
            throw new Unspeakable("A path leads from folder to folder, without . and .. as names.");
        }
        if (name.indexOf('\0') >= 0) {
            throw new Unspeakable("A name holds a NUL. Send it without.");
        }
        if (name.length() > LONGEST_NAME) {
            throw new Unspeakable("A name has " + name.length() + " bytes. No disk keeps more than " + LONGEST_NAME
                    + "; choose a shorter one.");
        }
        return name;
    }

    public boolean isRoot() {
        return names.isEmpty();
    }

    public String name() {
        return names.getLast();
    }

    public Place above() {
        return new Place(names.subList(0, names.size() - 1));
    }

    public Place with(String name) {
        List<String> more = new ArrayList<>(names);
        more.add(name(name));
        return new Place(more);
    }

    /** What another leads to from here. */
    public Place then(Place further) {
        List<String> more = new ArrayList<>(names);
        more.addAll(further.names);
        return new Place(more);
    }

    /** Itself counts too. */
    public boolean isIn(Place other) {
        return names.size() >= other.names.size()
                && names.subList(0, other.names.size()).equals(other.names);
    }

    /** As it stands in an address. */
    public String encoded() {
        return String.join("/", names.stream().map(Place::encoded).toList());
    }

    public static String encoded(String name) {
        var text = new StringBuilder(name.length() + 8);
        for (int i = 0; i < name.length(); i++) {
            char one = name.charAt(i);
            if (one < 0x80 && (Character.isLetterOrDigit(one) || PLAIN.indexOf(one) >= 0)) {
                text.append(one);
            } else {
                text.append('%')
                        .append(Character.toUpperCase(Character.forDigit(one >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(one & 15, 16)));
            }
        }
        return text.toString();
    }

    /** As people read it; bytes that are no text are told by their numbers. */
    public static String shown(String name) {
        String text = new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        if (text.indexOf('\uFFFD') < 0) {
            return text;
        }
        var told = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char one = name.charAt(i);
            told.append(one < 0x80 ? String.valueOf(one) : "\\x" + Integer.toHexString(one));
        }
        return told.toString();
    }

    /** Java's own path of a name in an open folder, of just these bytes whatever the locale is. */
    static Path path(String folder, String name) {
        return Path.of(URI.create("file://" + folder + "/" + encoded(name)));
    }

    /** Java's own path of a way that a link tells, of just these bytes. */
    static Path way(String way) {
        Path whole = Path.of(URI.create("file:///-/" + encoded(way).replace("%2F", "/")));
        return whole.subpath(1, whole.getNameCount());
    }

    /** The bytes of a name that Java has read. */
    static String name(Path entry) {
        Path last = Objects.requireNonNull(entry.getFileName());
        String text = last.toString();
        if (text.chars().allMatch(one -> one < 0x80)) {
            return text;
        }
        // only as an address does Java tell the bytes; it looks at what is there, so at where nothing can be
        String address = NOWHERE.resolve(last).toUri().getRawPath();
        return decoded(address.substring(address.lastIndexOf('/') + 1));
    }

    /** Of an address that is well-formed. */
    static String decoded(String address) {
        var name = new StringBuilder(address.length());
        for (int i = 0; i < address.length(); i++) {
            char one = address.charAt(i);
            if (one == '%') {
                name.append((char) Integer.parseInt(address, i + 1, i + 3, 16));
                i += 2;
            } else {
                name.append(one);
            }
        }
        return name.toString();
    }
}
