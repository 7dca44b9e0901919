package io.sluice.jobs.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the tasks of a job work together, as {@code extras.sluice.distributed} says.
 *
 * @param rankTable null: what the framework expects
 * @param framework that the script is written for, null: it does not say
 */
public record Distribution(
        @Nullable RankTable rankTable, @Nullable Framework framework) {
    static final String KEY = "distributed";

    /** The forms of rank tables. */
    public enum RankTable {
        /** {@code server_list}, version 1.0. */
        SERVERS,
        /** {@code group_list} with an instance for each task. */
        PODS,
        /** The same, and {@code RANK_TABLE_FILE} names the folder with {@code jobstart_hccl.json}. */
        MODELARTS,
        /** {@code group_list} with an instance for each device. */
        INSTANCES,
        NONE
    }

    public enum Framework {
        MINDSPORE,
        TENSORFLOW,
        PYTORCH
    }

    static Distribution of(Map<String, Object> extras) {
        Map<?, ?> said = extras.get(Extras.OURS) instanceof Map<?, ?> ours && ours.get(KEY) instanceof Map<?, ?> given
                ? given
                : Map.of();
        return new Distribution(
                one(RankTable.values(), said.get("rankTable")).orElse(null),
                one(Framework.values(), said.get("framework")).orElse(null));
    }

    /** Whether the job cannot do without a rank table. */
    public boolean asksForTable() {
        return rankTable != null && rankTable != RankTable.NONE;
    }

    public RankTable table() {
        RankTable usual = framework == Framework.TENSORFLOW ? RankTable.PODS : RankTable.SERVERS;
        return Objects.requireNonNullElse(rankTable, usual);
    }

    /** Only what can be read later is kept. */
    static void read(Fields ours, Map<String, Object> kept) {
        Fields said = ours.object(KEY);
        if (said == null) {
            return;
        }
        Map<String, Object> all = new java.util.LinkedHashMap<>();
        keep(all, "framework", said.choice("framework", names(Framework.values())));
        keep(all, "rankTable", said.choice("rankTable", names(RankTable.values())));
        said.close();
        if (!all.isEmpty()) {
            kept.put(KEY, all);
        }
    }

    private static void keep(Map<String, Object> all, String key, @Nullable Object value) {
        if (value != null) {
            all.put(key, value);
        }
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    private static <E extends Enum<E>> Optional<E> one(E[] values, @Nullable Object name) {
        return Arrays.stream(values)
                .filter(value -> value.name().equalsIgnoreCase(String.valueOf(name)))
                .findFirst();
    }
}
