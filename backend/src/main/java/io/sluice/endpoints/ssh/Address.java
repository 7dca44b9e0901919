package io.sluice.endpoints.ssh;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What stands before the {@code @}: {@code [user~]job[+role[+index]]}.
 *
 * @param user whose job; null: whoever comes
 * @param role null: that of the first task that runs
 * @param index null: the first of the role that runs
 */
record Address(
        @Nullable String user,
        String job,
        @Nullable String role,
        @Nullable Integer index) {
    private static final Pattern FORM = Pattern.compile(
            "(?:([\\w.-]{1,64})~)?((?=[.]*[\\w-])[\\w.-]{1,255})(?:\\+([\\w.~-]{1,255}))?(?:\\+(\\d{1,6}))?");

    static Optional<Address> parse(String text) {
        var parts = FORM.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        String index = parts.group(4);
        return Optional.of(new Address(
                parts.group(1), parts.group(2), parts.group(3), index == null ? null : Integer.valueOf(index)));
    }

    @Override
    public String toString() {
        return user == null ? job : user + "~" + job;
    }
}
