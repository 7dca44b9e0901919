package io.sluice.jobs.protocol.document;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node of a document. None of them shows its content in {@code toString}: it may be a secret. */
public sealed interface Item {
    Place place();

    /** As strings, numbers, booleans, nulls, lists and maps in the order of the text. */
    @Nullable
    Object plain();

    /** @param text the scalar as it stands in the text, without its quotes */
    record Scalar(Place place, @Nullable Object value, String text) implements Item {
        @Override
        public @Nullable Object plain() {
            return value;
        }

        @Override
        public String toString() {
            return "Scalar" + place;
        }
    }

    record Sequence(Place place, List<Item> items) implements Item {
        @Override
        public List<@Nullable Object> plain() {
            var list = new ArrayList<@Nullable Object>(items.size());
            items.forEach(item -> list.add(item.plain()));
            return list;
        }

        @Override
        public String toString() {
            return "Sequence" + place;
        }
    }

    record Mapping(Place place, List<Entry> entries) implements Item {
        @Override
        public Map<String, @Nullable Object> plain() {
            var map = new LinkedHashMap<String, @Nullable Object>();
            entries.forEach(entry -> map.put(entry.key(), entry.value().plain()));
            return map;
        }

        public @Nullable Entry entry(String key) {
            for (Entry entry : entries) {
                if (entry.key().equals(key)) {
                    return entry;
                }
            }
            return null;
        }

        @Override
        public String toString() {
            return "Mapping" + place;
        }
    }

    record Entry(String key, Place place, Item value) {
        @Override
        public String toString() {
            return key + place;
        }
    }

    /** Where a node stands: line and column count from 1, offsets are of {@code char}s from 0. */
    record Place(int line, int column, int start, int end) {
        public static final Place TOP = new Place(1, 1, 0, 0);

        @Override
        public String toString() {
            return "@" + line + ":" + column;
        }
    }
}
