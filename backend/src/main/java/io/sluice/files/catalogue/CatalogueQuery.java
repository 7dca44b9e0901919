package io.sluice.files.catalogue;

import io.sluice.web.Call;
import io.sluice.web.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Which entries of a catalogue somebody looks at.
 *
 * @param path of the page
 * @param search letters in a name, a description or an address; empty: any
 * @param show empty: all; {@value #MINE}, or how it stands
 * @param kind empty: any
 * @param from how many are passed over
 */
public record CatalogueQuery(String path, String search, String show, String kind, int from) {
    public static final String MINE = "mine";
    public static final List<String> SHOWN = List.of(MINE, "proposed", "declined");
    public static final int PAGE = 50;
    private static final int LONGEST = 200;
    private static final int FARTHEST = 100_000;

    /** @param kinds that there are */
    public static CatalogueQuery of(Call call, String path, List<String> kinds) {
        String from = call.query("from").orElse("0");
        if (!from.matches("\\d{1,6}") || Integer.parseInt(from) > FARTHEST) {
            throw Problem.invalid("from is a number from 0 to " + FARTHEST + ".");
        }
        String search = call.query("q").orElse("").replaceAll("\\p{Cntrl}", "").strip();
        return new CatalogueQuery(
                path,
                search.substring(0, Math.min(LONGEST, search.length())),
                one(call, "show", SHOWN),
                one(call, "kind", kinds),
                Integer.parseInt(from));
    }

    private static String one(Call call, String name, List<String> allowed) {
        String text = call.query(name).orElse("");
        if (!text.isEmpty() && !allowed.contains(text)) {
            throw Problem.invalid(name + " is one of " + String.join(", ", allowed) + ", not " + text + ".");
        }
        return text;
    }

    public String state() {
        return show.equals(MINE) ? "" : show;
    }

    public boolean isMine() {
        return show.equals(MINE);
    }

    public boolean isFiltered() {
        return !search.isEmpty() || !show.isEmpty() || !kind.isEmpty();
    }

    public String words() {
        return search.toLowerCase(Locale.ROOT);
    }

    public CatalogueQuery showing(String other) {
        return new CatalogueQuery(path, search, show.equals(other) ? "" : other, kind, 0);
    }

    public CatalogueQuery ofKind(String other) {
        return new CatalogueQuery(path, search, show, kind.equals(other) ? "" : other, 0);
    }

    public CatalogueQuery from(int other) {
        return new CatalogueQuery(path, search, show, kind, Math.max(0, other));
    }

    public String link() {
        List<String> fields = new ArrayList<>();
        Stream.of(List.of("q", search), List.of("show", show), List.of("kind", kind))
                .filter(field -> !field.getLast().isEmpty())
                .forEach(field -> fields.add(
                        field.getFirst() + "=" + URLEncoder.encode(field.getLast(), StandardCharsets.UTF_8)));
        if (from > 0) {
            fields.add("from=" + from);
        }
        return fields.isEmpty() ? path : path + "?" + String.join("&", fields);
    }

    /**
     * Some entries of a catalogue.
     *
     * @param more whether there are others behind them
     * @param waiting for an answer, as far as who looks may see
     */
    public record Found<T>(List<T> entries, boolean more, long waiting) {
        public Found {
            entries = List.copyOf(entries);
        }

        /** @param read one more than a page where there are others behind it */
        public static <T> Found<T> of(List<T> read, long waiting) {
            return new Found<>(read.subList(0, Math.min(PAGE, read.size())), read.size() > PAGE, waiting);
        }
    }
}
