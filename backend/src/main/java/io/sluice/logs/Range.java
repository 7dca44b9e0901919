package io.sluice.logs;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One range of bytes, as the header asks for it.
 *
 * @param first null: the last {@code last} bytes
 * @param last inclusive; null: to the end
 */
record Range(@Nullable Long first, @Nullable Long last) {
    private static final Pattern ONE = Pattern.compile("(?i)bytes=\\s*(\\d*)\\s*-\\s*(\\d*)\\s*");

    /** @param to exclusive */
    record Slice(long from, long to) {}

    /** Empty where the header asks for what a server may leave out of account: several ranges, or no bytes. */
    static Optional<Range> parse(String header) {
        Matcher matcher = ONE.matcher(header);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Long first = number(matcher.group(1));
        Long last = number(matcher.group(2));
        boolean nonsense = (first == null && last == null) || (first != null && last != null && last < first);
        return nonsense ? Optional.empty() : Optional.of(new Range(first, last));
    }

    /** A number that no long holds is one past every log's end. */
    private static @Nullable Long number(String digits) {
        if (digits.isEmpty()) {
            return null;
        }
        String plain = digits.replaceFirst("^0+(?=.)", "");
        return plain.length() > 18 ? Long.MAX_VALUE : Long.valueOf(plain);
    }

    /** Empty where nothing of it exists. */
    Optional<Slice> of(long size) {
        Slice slice = first == null
                ? new Slice(Math.max(0, size - (last == null ? 0 : last)), size)
                : new Slice(first, last == null || last >= size ? size : last + 1);
        return slice.from() < slice.to() ? Optional.of(slice) : Optional.empty();
    }
}
