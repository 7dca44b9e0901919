package io.sluice.files.centre;

import io.sluice.files.quota.Usage;
import io.sluice.files.shares.Held;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import java.text.NumberFormat;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The page of one folder, complete without a script.
 *
 * @param path encoded
 * @param above the address of the folder above; null: this is the top
 * @param usage of who looks, null: not told
 * @param held what is shared with who looks
 * @param next the address of what comes after; null: this is all
 */
public record FilePage(
        String user,
        String space,
        String path,
        boolean bin,
        int total,
        List<Row> rows,
        @Nullable String above,
        @Nullable String next,
        List<Held> held,
        @Nullable Usage usage) {

    /** @param href where it is opened or had; null: nowhere */
    public record Row(
            String name,
            boolean folder,
            @Nullable Long size,
            Instant changed,
            @Nullable String href) {
        private static final List<String> UNITS = List.of("B", "kB", "MB", "GB", "TB", "PB");
        private static final int THOUSAND = 1_000;

        /** How large it is, in few digits; a folder is told by a dash. */
        public String amount(Locale locale) {
            return size == null ? "–" : amount(size, locale);
        }

        static String amount(long bytes, Locale locale) {
            double left = bytes;
            int power = 0;
            for (; left >= THOUSAND && power < UNITS.size() - 1; left /= THOUSAND) {
                power++;
            }
            NumberFormat number = NumberFormat.getInstance(locale);
            number.setMaximumFractionDigits(1);
            return number.format(left) + " " + UNITS.get(power);
        }
    }

    public FilePage {
        rows = List.copyOf(rows);
        held = List.copyOf(held);
    }

    static FilePage bin(String user, String space, List<Held> held) {
        return new FilePage(user, space, "", true, 0, List.of(), null, null, held, null);
    }

    static FilePage of(String user, String space, Place place, Space.Page page, List<Held> held) {
        return new FilePage(
                user,
                space,
                place.encoded(),
                false,
                page.total(),
                page.entries().stream().map(entry -> row(user, space, entry)).toList(),
                place.isRoot() ? null : address(user, space, place.above(), null),
                page.next() == null ? null : address(user, space, place, page.next()),
                held,
                null);
    }

    FilePage with(@Nullable Usage known) {
        return new FilePage(user, space, path, bin, total, rows, above, next, held, known);
    }

    public String amount(long bytes, Locale locale) {
        return Row.amount(bytes, locale);
    }

    /** @param opens whether who looks may also open what they see */
    FilePage seen(boolean opens) {
        List<Row> closed = rows.stream()
                .map(row -> new Row(row.name(), row.folder(), row.size(), row.changed(), null))
                .toList();
        return opens ? this : new FilePage(user, space, path, bin, total, closed, null, null, held, usage);
    }

    private static Row row(String user, String space, Space.Entry entry) {
        Found found = entry.found();
        String href = switch (found.kind()) {
            case FOLDER -> address(user, space, entry.place(), null);
            case FILE ->
                "/api/v2/files/" + space + "/content?path=" + entry.place().encoded();
            case LINK, OTHER -> null;
        };
        return new Row(
                Place.shown(entry.place().name()),
                found.isFolder(),
                found.isFile() ? found.size() : null,
                Instant.ofEpochMilli(found.changed()),
                href);
    }

    private static String address(String user, String space, Place place, @Nullable String after) {
        String in = space.equals(user) ? "" : "&in=" + space;
        return "/files?path=" + place.encoded() + in + (after == null ? "" : "&after=" + Place.encoded(after));
    }

    /** Where what is deleted here goes: to the bin of a share that is written, else to one's own. */
    public String binAddress() {
        Held shared = shared();
        return "/files?bin=1" + (shared != null && shared.writable() ? "&in=" + space : "");
    }

    public boolean isHome() {
        return !bin && space.equals(user);
    }

    public boolean isOutput() {
        return space.equals(Spaces.OUTPUT);
    }

    /** Where tasks have it; null: none but those that made it. */
    public @Nullable String mount() {
        Held shared = shared();
        return shared != null ? shared.share().mount() : isOutput() ? null : "/userhome";
    }

    /** What is shared with who looks, and which of it this is. */
    public record Tab(String name, String mount, boolean here) {}

    /** Null: nothing that is shared. */
    public @Nullable Held shared() {
        return held.stream()
                .filter(one -> space.equals(Spaces.SHARED + one.share().name()))
                .findFirst()
                .orElse(null);
    }

    public List<Tab> tabs() {
        return held.stream()
                .map(one ->
                        new Tab(Spaces.SHARED + one.share().name(), one.share().mount(), !bin && one.equals(shared())))
                .toList();
    }
}
