package io.sluice.jobs.protocol.document;

import io.sluice.jobs.protocol.document.Item.Entry;
import io.sluice.jobs.protocol.document.Item.Mapping;
import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import io.sluice.jobs.protocol.document.Item.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Grows a tree from the events of a reader; counts, so that it stops long before memory does. */
final class Tree {
    /** Ends the reading; what the text says after it can not be told. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Flaw flaw;

        Broken(Flaw flaw) {
            super(flaw.key(), null, false, false);
            this.flaw = flaw;
        }

        Flaw flaw() {
            return flaw;
        }
    }

    private static final int MOST_FLAWS = 50;

    private record Sized(Item item, long size) {}

    private static final class Frame {
        final Place start;
        final boolean mapping;
        final @Nullable String anchor;
        final List<Item> items = new ArrayList<>();
        final Map<String, Entry> entries = new LinkedHashMap<>();
        final Set<String> keys = new HashSet<>();

        @Nullable
        String key;

        Place keyPlace = Place.TOP;
        boolean mergesNext;
        long size = 1;

        Frame(Place start, boolean mapping, @Nullable String anchor) {
            this.start = start;
            this.mapping = mapping;
            this.anchor = anchor;
        }

        String step() {
            return mapping ? (key == null ? "" : key) : "[" + items.size() + "]";
        }
    }

    private final Limits limits;
    private final List<Flaw> flaws = new ArrayList<>();
    private final List<Place> aliased = new ArrayList<>();
    private final Deque<Frame> open = new ArrayDeque<>();
    private final Map<String, @Nullable Sized> anchors = new HashMap<>();
    private @Nullable Item root;

    Tree(Limits limits) {
        this.limits = limits;
    }

    @Nullable
    Item root() {
        return root;
    }

    List<Flaw> flaws() {
        return flaws;
    }

    Document document(String text) {
        return new Document(text, flaws.isEmpty() ? root : null, aliased, flaws);
    }

    void flaw(Place place, String key, Object... values) {
        if (flaws.size() < MOST_FLAWS) {
            flaws.add(Flaw.at(place, path(), key, values));
        }
    }

    Broken broken(Place place, String key, Object... values) {
        return new Broken(Flaw.at(place, path(), key, values));
    }

    /** A word of a value, to be quoted: not where it may be a secret that looked like an alias or a tag. */
    String quotable(String word) {
        String path = path();
        return path.startsWith("secrets") || path.endsWith("password") ? "…" : word;
    }

    boolean wantsKey() {
        Frame frame = open.peek();
        return frame != null && frame.mapping && frame.key == null;
    }

    void key(String key, Place place) {
        Frame frame = open.element();
        frame.keyPlace = place;
        if (Document.holdsUnstorable(key)) {
            flaw(place, "unstorable");
            frame.key = "…"; // what is told of its value names it
            return;
        }
        frame.key = key;
        if (!frame.keys.add(key)) {
            flaw(place, "duplicateKey", key);
        }
    }

    /** The next value is a mapping, or several, whose entries stand here too unless they are written out. */
    void mergeKey(Place place) {
        Frame frame = open.element();
        frame.key = "<<";
        frame.keyPlace = place;
        frame.mergesNext = true;
    }

    void begin(Place start, boolean mapping, @Nullable String anchor) {
        if (open.size() >= limits.depth()) {
            throw broken(start, "tooDeep", limits.depth());
        }
        if (anchor != null) {
            anchors.put(anchor, null);
        }
        open.push(new Frame(start, mapping, anchor));
    }

    void end(int endOffset) {
        Frame frame = open.pop();
        Place start = frame.start;
        var place = new Place(start.line(), start.column(), start.start(), endOffset);
        Item item = frame.mapping
                ? new Mapping(place, List.copyOf(frame.entries.values()))
                : new Sequence(place, List.copyOf(frame.items));
        add(new Sized(item, frame.size), frame.anchor);
    }

    void scalar(Scalar scalar, @Nullable String anchor) {
        if (scalar.value() instanceof String value && Document.holdsUnstorable(value)) {
            flaw(scalar.place(), "unstorable");
        }
        add(new Sized(scalar, 1), anchor);
    }

    void alias(String name, Place place) {
        if (!anchors.containsKey(name)) {
            throw broken(place, "unknownAnchor", quotable(name));
        }
        Sized meant = anchors.get(name);
        if (meant == null) {
            throw broken(place, "anchorInItself", quotable(name));
        }
        aliased.add(meant.item().place());
        add(meant, null);
    }

    private void add(Sized sized, @Nullable String anchor) {
        if (anchor != null) {
            anchors.put(anchor, sized);
        }
        Frame frame = open.peek();
        if (frame == null) {
            if (root != null) {
                throw broken(sized.item().place(), "severalDocuments");
            }
            root = sized.item();
            return;
        }
        frame.size += sized.size();
        if (frame.size > limits.items()) {
            throw broken(sized.item().place(), "tooManyItems", limits.items());
        }
        if (frame.mapping) {
            put(frame, sized.item());
        } else {
            frame.items.add(sized.item());
        }
    }

    private void put(Frame frame, Item value) {
        String key = frame.key;
        if (frame.mergesNext) {
            merge(frame, value);
        } else if (key != null) {
            // what is written out counts, wherever a merge stands
            frame.entries.put(key, new Entry(key, frame.keyPlace, value));
        }
        frame.key = null;
        frame.mergesNext = false;
    }

    private void merge(Frame frame, Item value) {
        List<Item> sources = value instanceof Sequence several ? several.items() : List.of(value);
        for (Item source : sources) {
            if (source instanceof Mapping mapping) {
                mapping.entries().forEach(entry -> frame.entries.putIfAbsent(entry.key(), entry));
            } else {
                flaw(source.place(), "mergeOfNoMapping");
            }
        }
    }

    private String path() {
        var path = new StringBuilder();
        open.descendingIterator().forEachRemaining(frame -> {
            String step = frame.step();
            if (!path.isEmpty() && !step.isEmpty() && !step.startsWith("[")) {
                path.append('.');
            }
            path.append(step);
        });
        return path.toString();
    }
}
