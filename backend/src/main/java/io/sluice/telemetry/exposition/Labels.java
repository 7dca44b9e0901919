package io.sluice.telemetry.exposition;

import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.observe.Observation.Seen;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Label sets as Prometheus reads them, encoded once for as long as what they name is there. */
final class Labels {
    /** By node, then by device: no key is made of both. */
    private final Map<String, Map<String, OfDevice>> devices = new HashMap<>();

    private final Map<Long, OfTask> tasks = new HashMap<>();
    private long round;
    private int used;

    /** A round begins; what the last one did not use is forgotten. */
    void next(int wanted) {
        int known = tasks.size();
        for (Map<String, OfDevice> some : devices.values()) {
            known += some.size();
        }
        if (known > used) {
            devices.values().forEach(some -> some.values().removeIf(one -> one.round != round));
            devices.values().removeIf(Map::isEmpty);
            tasks.values().removeIf(one -> one.round != round);
        }
        used = wanted;
        round++;
    }

    OfDevice of(Seen seen) {
        Map<String, OfDevice> some = devices.get(seen.node());
        if (some == null) {
            some = new HashMap<>();
            devices.put(seen.node(), some);
        }
        OfDevice one = some.get(seen.device().id());
        if (one == null) {
            one = new OfDevice();
            some.put(seen.device().id(), one);
        }
        one.know(seen);
        one.round = round;
        return one;
    }

    OfTask of(Holder holder) {
        OfTask one = tasks.get(holder.task());
        if (one == null) {
            one = new OfTask();
            tasks.put(holder.task(), one);
        }
        one.know(holder);
        one.round = round;
        return one;
    }

    /** Names and values by turns. The blank before the number belongs to it. */
    static byte[] encoded(String... pairs) {
        return bytes(written("{", pairs).append("} "));
    }

    /** The first labels of a set that goes on with others. */
    static byte[] begun(String... pairs) {
        return bytes(written("{", pairs));
    }

    /** The last labels of a set that others came before. */
    static byte[] ended(String... pairs) {
        return bytes(written(",", pairs).append("} "));
    }

    private static byte[] bytes(StringBuilder text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static StringBuilder written(String before, String... pairs) {
        var text = new StringBuilder();
        for (int at = 0; at < pairs.length; at += 2) {
            text.append(at == 0 ? before : ",").append(pairs[at]).append("=\"");
            escape(pairs[at + 1], text);
            text.append('"');
        }
        return text;
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
