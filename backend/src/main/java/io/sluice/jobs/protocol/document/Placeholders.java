package io.sluice.jobs.protocol.document;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code <% $name.of.value[0] %>} in a text. What has no value stays as it stands. */
public final class Placeholders {
    /** Possessive throughout, so that a megabyte without an end is read once. */
    private static final Pattern PLACEHOLDER = Pattern.compile("<%\\s*+(\\$[A-Za-z]++[^%<>\\s]*+)\\s*+%>");

    private static final Pattern INDEX = Pattern.compile("\\[(\\d+)]");

    private Placeholders() {}

    /** Puts in what {@code values} knows; one pass, so that a value is never read as a placeholder. */
    public static String fill(String text, Function<String, @Nullable String> values) {
        if (!text.contains("<%")) {
            return text;
        }
        Matcher matcher = PLACEHOLDER.matcher(text);
        return matcher.replaceAll(found -> {
            String value = values.apply(dotted(found.group(1)));
            return Matcher.quoteReplacement(value == null ? found.group() : value);
        });
    }

    public static boolean isOnlyOne(String text) {
        return PLACEHOLDER.matcher(text.strip()).matches();
    }

    /** Looks a dotted name up in maps and lists; null where nothing stands that a text can show. */
    public static @Nullable String lookup(Map<String, ?> scopes, String name) {
        Object value = scopes;
        for (String step : dotted(name).split("\\.", -1)) {
            value = switch (value) {
                case Map<?, ?> map -> map.get(step);
                case List<?> list -> element(list, step);
                case null, default -> null;
            };
        }
        return shown(value);
    }

    private static String dotted(String name) {
        return INDEX.matcher(name).replaceAll(".$1");
    }

    private static @Nullable Object element(List<?> list, String step) {
        if (!step.matches("\\d{1,9}")) {
            return null;
        }
        int index = Integer.parseInt(step);
        return index < list.size() ? list.get(index) : null;
    }

    private static @Nullable String shown(@Nullable Object value) {
        return switch (value) {
            case String text -> text;
            case Double real when real == Math.rint(real) && Math.abs(real) < 1e15 -> Long.toString(real.longValue());
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            case List<?> list
            when list.stream().allMatch(item -> shown(item) != null) ->
                list.stream().map(Placeholders::shown).collect(Collectors.joining(","));
            case null, default -> null;
        };
    }
}
