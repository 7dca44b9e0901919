package io.sluice.files.catalogue;

import io.sluice.web.Problem;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What is wrong with one field of an entry.
 *
 * @param key of the sentence in the texts, which takes no values
 * @param sentence for programs
 */
public record Wrong(String field, String key, String sentence) {

    public static Faults faults(List<Wrong> all) {
        Map<String, Note> fields = new LinkedHashMap<>();
        all.forEach(one -> fields.putIfAbsent(one.field(), Note.bad(one.key())));
        return new Faults(fields, null);
    }

    /** Passes where nothing is. */
    public static void refuse(List<Wrong> all) {
        if (!all.isEmpty()) {
            throw Problem.invalid(all.stream().map(Wrong::sentence).collect(Collectors.joining(" ")));
        }
    }
}
