package io.sluice.jobs.protocol.document;

import java.util.List;

/** Why a text is no document. The key names a sentence, the values go into it; neither holds content of the text. */
public record Flaw(int line, int column, String path, String key, List<String> values) {
    public Flaw {
        values = List.copyOf(values);
    }

    static Flaw at(Item.Place place, String path, String key, Object... values) {
        return new Flaw(
                place.line(),
                place.column(),
                path,
                key,
                List.of(values).stream().map(Object::toString).toList());
    }
}
