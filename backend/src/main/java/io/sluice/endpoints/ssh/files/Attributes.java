package io.sluice.endpoints.ssh.files;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is known of a file, or wanted of it; null: not said. */
record Attributes(
        @Nullable Long size,
        @Nullable Integer owner,
        @Nullable Integer group,
        @Nullable Integer mode,
        @Nullable Long accessed,
        @Nullable Long changed) {
    static final String FORMAT = "'%f %s %u %g %X %Y'";
    static final String FIELDS = "([0-9a-f]{1,8}) (\\d{1,19}) (\\d{1,10}) (\\d{1,10}) (-?\\d{1,12}) (-?\\d{1,12})";
    static final int BYTES = 32;
    private static final Pattern PATTERN = Pattern.compile(FIELDS);
    private static final int SIZE = 1;
    private static final int OWNERS = 2;
    private static final int MODE = 4;
    private static final int TIMES = 8;
    private static final int KIND = 0170000;
    private static final int FOLDER = 0040000;
    private static final int REGULAR = 0100000;
    private static final int LINK = 0120000;
    private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("MMM dd  yyyy", Locale.ROOT);

    static Attributes parse(String line) throws Fault {
        Matcher fields = PATTERN.matcher(line.strip());
        if (!fields.matches()) {
            throw new Fault(Fault.FAILURE, "The image's stat does not tell what it is asked for.");
        }
        return of(fields);
    }

    static Attributes of(Matcher fields) {
        return new Attributes(
                Long.valueOf(fields.group(2)),
                (int) Long.parseLong(fields.group(3)),
                (int) Long.parseLong(fields.group(4)),
                Integer.valueOf(fields.group(1), 16),
                Long.valueOf(fields.group(5)),
                Long.valueOf(fields.group(6)));
    }

    static Attributes read(ByteBuffer message) {
        int said = message.getInt();
        Long size = (said & SIZE) != 0 ? message.getLong() : null;
        Integer owner = (said & OWNERS) != 0 ? message.getInt() : null;
        Integer group = (said & OWNERS) != 0 ? message.getInt() : null;
        Integer mode = (said & MODE) != 0 ? message.getInt() : null;
        Long accessed = (said & TIMES) != 0 ? Integer.toUnsignedLong(message.getInt()) : null;
        Long changed = (said & TIMES) != 0 ? Integer.toUnsignedLong(message.getInt()) : null;
        return new Attributes(size, owner, group, mode, accessed, changed);
    }

    /** What was found, all of it. */
    void write(ByteBuffer message) {
        message.putInt(SIZE | OWNERS | MODE | TIMES);
        message.putLong(size == null ? 0 : size);
        message.putInt(owner == null ? 0 : owner);
        message.putInt(group == null ? 0 : group);
        message.putInt(mode == null ? 0 : mode);
        message.putInt(accessed == null ? 0 : accessed.intValue());
        message.putInt(changed == null ? 0 : changed.intValue());
    }

    private int kind() {
        return mode == null ? 0 : mode & KIND;
    }

    boolean isFolder() {
        return kind() == FOLDER;
    }

    boolean isRegular() {
        return kind() == REGULAR;
    }

    int permissions() {
        return mode == null ? 0 : mode & 07777;
    }

    /** As {@code ls -l} shows it, without the name. */
    String line() {
        var text = new StringBuilder().append(isFolder() ? 'd' : kind() == LINK ? 'l' : isRegular() ? '-' : '?');
        for (int bit = 8; bit >= 0; bit--) {
            text.append((permissions() >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        return text
                + String.format(
                        Locale.ROOT,
                        "    1 %-8d %-8d %12d %s ",
                        owner == null ? 0 : Integer.toUnsignedLong(owner),
                        group == null ? 0 : Integer.toUnsignedLong(group),
                        size == null ? 0 : size,
                        WHEN.format(Instant.ofEpochSecond(changed == null ? 0 : changed)
                                .atOffset(ZoneOffset.UTC)));
    }
}
