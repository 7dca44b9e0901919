package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.document.Document;
import io.sluice.jobs.protocol.document.Item;
import io.sluice.jobs.protocol.document.Item.Entry;
import io.sluice.jobs.protocol.document.Item.Mapping;
import io.sluice.jobs.protocol.document.Item.Place;
import io.sluice.jobs.protocol.document.Item.Scalar;
import io.sluice.jobs.protocol.document.Item.Sequence;
import io.sluice.jobs.protocol.document.Placeholders;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The values behind {@code <% $secrets.x %>}: taken out of a job when it is read, put in right before a task starts. */
public final class Secrets {
    public static final String MASK = "******";
    private static final String SCOPE = "$secrets.";

    private record Hidden(int start, int end, String with) {}

    private final String text;
    private final List<Place> aliased;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final List<Hidden> hidden = new ArrayList<>();

    Secrets(Document document) {
        this.text = document.text();
        this.aliased = document.aliased();
    }

    /** Puts the values into a text that is about to run. The result belongs into no log, table or answer. */
    public static String render(String text, Map<String, String> values) {
        return Placeholders.fill(
                text, name -> name.startsWith(SCOPE) ? values.get(name.substring(SCOPE.length())) : null);
    }

    Map<String, String> values() {
        return values;
    }

    void take(Fields job, Faults faults) {
        Entry entry = job.mapping().entry("secrets");
        job.known("secrets");
        if (entry == null) {
            return;
        }
        if (entry.value() instanceof Mapping section) {
            hide(entry, "secrets", faults);
            flatten("", section, faults);
        } else if (entry.value() instanceof Scalar scalar && MASK.equals(scalar.value())) {
            faults.add(scalar.place(), "secrets", "secretsMasked");
        } else {
            faults.add(entry.value().place(), "secrets", "notObject");
        }
    }

    /** A password that stands in the text: only a placeholder of it stays in the job. */
    String placeholder(String wish, Entry password, String path, Faults faults) {
        hide(password, path, faults);
        String name = wish;
        while (values.containsKey(name)) {
            name += "_";
        }
        values.put(name, textOf((Scalar) password.value()));
        return "<% $secrets." + name + " %>";
    }

    /** The text without secrets; all else, comments and order included, stays. */
    String mask() {
        var masked = new StringBuilder(text);
        hidden.stream()
                .sorted(Comparator.comparingInt(Hidden::start).reversed())
                .forEach(range -> masked.replace(range.start(), range.end(), range.with()));
        return masked.toString();
    }

    private void hide(Entry entry, String path, Faults faults) {
        Place place = entry.value().place();
        // what an alias repeats would show where nothing hides it
        if (aliased.stream().anyMatch(other -> other.start() < place.end() && place.start() < other.end())) {
            faults.add(entry.place(), path, "secretsShared");
            return;
        }
        String between = text.substring(entry.place().end(), place.start());
        // comments before the first secret may be old secrets, so they go too
        boolean sameLine = between.matches("[ \\t]*:(?s:.*)");
        hidden.add(new Hidden(
                sameLine ? entry.place().end() : place.start(),
                end(entry.value()),
                (sameLine ? ": " : "") + '"' + MASK + '"'));
    }

    private void flatten(String prefix, Item item, Faults faults) {
        switch (item) {
            case Mapping mapping ->
                mapping.entries().forEach(entry -> flatten(prefix + entry.key() + ".", entry.value(), faults));
            case Sequence sequence -> {
                for (int i = 0; i < sequence.items().size(); i++) {
                    flatten(prefix + i + ".", sequence.items().get(i), faults);
                }
            }
            case Scalar scalar -> {
                String name = prefix.substring(0, prefix.length() - 1);
                if (MASK.equals(scalar.value())) {
                    faults.add(scalar.place(), "secrets." + name, "secretsMasked");
                }
                values.put(name, textOf(scalar));
            }
        }
    }

    private static String textOf(Scalar scalar) {
        return scalar.value() == null ? "" : scalar.text();
    }

    private int end(Item item) {
        Place place = item.place();
        boolean block = item instanceof Mapping && text.charAt(place.start()) != '{';
        int end = block ? blockEnd(place) : place.end();
        while (end > place.start() && Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        return end;
    }

    /** A block ends where the next token begins; the blank lines and comments above that are the next one's, where they
     * stand as far left. All other comments may be old secrets. */
    private int blockEnd(Place place) {
        int end = place.end();
        while (true) {
            int lineStart = text.lastIndexOf('\n', end - 2) + 1;
            String line = text.substring(lineStart, end);
            String bare = line.strip();
            boolean comment = bare.startsWith("#") && line.indexOf('#') < place.column() - 1;
            if (lineStart <= place.start() || !(bare.isEmpty() || comment)) {
                return end;
            }
            end = lineStart;
        }
    }
}
