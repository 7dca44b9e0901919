package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.document.Flaw;
import io.sluice.jobs.protocol.document.Item.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;

/** Gathers faults; their English sentences are the portal's own. */
final class Faults {
    static final String PREFIX = "fault.protocol.";
    private static final int MOST = 100;
    private static final Properties ENGLISH = english();

    private final List<Fault> faults = new ArrayList<>();
    private int beyond;

    void add(Place place, String path, String key, Object... values) {
        add(
                place.line(),
                place.column(),
                path,
                key,
                List.of(values).stream().map(Object::toString).toList());
    }

    void add(Flaw flaw) {
        add(flaw.line(), flaw.column(), flaw.path(), flaw.key(), flaw.values());
    }

    private void add(int line, int column, String path, String key, List<String> values) {
        if (faults.size() == MOST) {
            beyond++;
        } else {
            faults.add(fault(line, column, path, key, values));
        }
    }

    /** One that another explains better. */
    void withdraw(String path, String key) {
        faults.removeIf(fault -> fault.path().equals(path) && fault.key().equals(key));
    }

    /** More are only counted. */
    boolean isFull() {
        return faults.size() == MOST;
    }

    boolean none() {
        return faults.isEmpty();
    }

    /** In the order of the text. */
    List<Fault> all() {
        var sorted = new ArrayList<>(faults);
        sorted.sort(Comparator.comparingInt(Fault::line).thenComparingInt(Fault::column));
        if (beyond > 0) {
            Fault last = sorted.getLast();
            sorted.add(fault(last.line(), last.column(), "", "more", List.of(Integer.toString(beyond))));
        }
        return sorted;
    }

    private static Fault fault(int line, int column, String path, String key, List<String> values) {
        String allowed = ENGLISH.containsKey(PREFIX + key + ".allowed") ? text(key + ".allowed", values) : "";
        return new Fault(line, column, path, key, values, text(key, values), allowed);
    }

    private static String text(String key, List<String> values) {
        String pattern = Objects.requireNonNull(ENGLISH.getProperty(PREFIX + key), () -> "no text for fault " + key);
        return values.isEmpty() ? pattern : new MessageFormat(pattern, Locale.ENGLISH).format(values.toArray());
    }

    private static Properties english() {
        var texts = new Properties();
        try (InputStream stream = Faults.class.getResourceAsStream("/texts/en.properties")) {
            texts.load(new InputStreamReader(Objects.requireNonNull(stream), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }
}
