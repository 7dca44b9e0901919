package io.sluice.telemetry.exposition;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Label sets as Prometheus reads them, encoded once for as long as what they name is there. */
final class Labels {
    private Map<String, byte[]> known = new HashMap<>();
    private Map<String, byte[]> used = new HashMap<>();

    /** A round begins: what the last one did not use is forgotten. */
    void next() {
        Map<String, byte[]> empty = known;
        known = used;
        empty.clear();
        used = empty;
    }

    byte[] of(String key, Supplier<String[]> pairs) {
        byte[] here = used.get(key);
        if (here != null) {
            return here;
        }
        byte[] before = known.get(key);
        byte[] labels = before == null ? encoded(pairs.get()) : before;
        used.put(key, labels);
        return labels;
    }

    /** Names and values by turns. The blank before the number belongs to it. */
    static byte[] encoded(String... pairs) {
        var text = new StringBuilder("{");
        for (int at = 0; at < pairs.length; at += 2) {
            text.append(at == 0 ? "" : ",").append(pairs[at]).append("=\"");
            escape(pairs[at + 1], text);
            text.append('"');
        }
        return text.append("} ").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void escape(String value, StringBuilder text) {
        for (int at = 0; at < value.length(); at++) {
            char letter = value.charAt(at);
            switch (letter) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(letter);
            }
        }
    }
}
