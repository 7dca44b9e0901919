package io.sluice.telemetry.door;

import io.sluice.telemetry.door.Words.Kind;
import io.sluice.telemetry.door.Words.Word;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An expression of a provisioned panel, with gaps for what Grafana puts in. What is asked chooses a panel and its gaps, and no more: the question to
 * Prometheus is written anew from the panel's own text.
 */
final class Panel {
    static final String JOB = "$job";
    static final String USER = "$user";
    /** The time that is looked at. */
    static final String RANGE = "$__range";

    private static final Pattern TIME =
            Pattern.compile("(?=.)(?:(\\d{1,5})d)?(?:(\\d{1,6})h)?(?:(\\d{1,7})m)?(?:(\\d{1,8})s)?");

    /** Gaps that are filled with a time. */
    private static final Set<String> TIMES = Set.of(RANGE, "$__rate_interval");

    private final String expression;
    private final List<Word> words;

    private Panel(String expression, List<Word> words) {
        this.expression = expression;
        this.words = words;
    }

    static Panel of(String expression) {
        return new Panel(expression, Words.of(expression));
    }

    /** What the gaps are filled with, if this is the panel that is asked. */
    Optional<Map<String, String>> filled(List<Word> asked) {
        if (asked.size() != words.size()) {
            return Optional.empty();
        }
        Map<String, String> gaps = new LinkedHashMap<>();
        for (int at = 0; at < words.size(); at++) {
            Word own = words.get(at);
            Word other = asked.get(at);
            boolean same = own.said().startsWith("$") ? fills(own, other, gaps) : own.equals(other);
            if (!same) {
                return Optional.empty();
            }
        }
        return Optional.of(gaps);
    }

    private static boolean fills(Word gap, Word filling, Map<String, String> gaps) {
        boolean fits = gap.kind() == filling.kind() && (gap.kind() == Kind.TEXT || seconds(filling.said()) > 0);
        String before = fits ? gaps.put(gap.said(), filling.said()) : null;
        return fits && (before == null || before.equals(filling.said()));
    }

    /** Of a time as Grafana writes it; 0: it is none. */
    static long seconds(String time) {
        Matcher parts = TIME.matcher(time);
        return parts.matches()
                ? number(parts.group(1)) * 86_400
                        + number(parts.group(2)) * 3_600
                        + number(parts.group(3)) * 60
                        + number(parts.group(4))
                : 0;
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    static boolean isTime(String gap) {
        return TIMES.contains(gap);
    }

    /** @param gaps whose texts hold nothing that would have to be escaped */
    String written(Map<String, String> gaps) {
        String written = expression;
        for (Map.Entry<String, String> gap : gaps.entrySet()) {
            written = written.replace(gap.getKey(), gap.getValue());
        }
        return written;
    }
}
