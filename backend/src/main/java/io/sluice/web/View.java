package io.sluice.web;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What every template may know of the page it draws: language, theme, who looks, and where files lie. */
public final class View {
    public static final String LANGUAGE_COOKIE = "sluice_lang";
    public static final List<String> LANGUAGES = Texts.LANGUAGES;
    public static final String THEME_COOKIE = "sluice_theme";

    /** What the error page tells, message null: no more than the kind; its words stand in the texts under {@code error.<kind>.title} and {@code error.<kind>.help}. */
    public record Failure(String kind, int status, @Nullable String message, String id) {}

    /**
     * A sentence for the reader, as a key of {@code webapp/texts} and the values that are put into it.
     *
     * @param key for instance {@code signIn.wrong}; the keys that exist are listed there under {@code note.} and {@code fault.}
     */
    public record Note(boolean bad, String key, List<Object> values) {
        public Note {
            values = List.copyOf(values);
        }

        public static Note good(String key, Object... values) {
            return new Note(false, key, List.of(values));
        }

        public static Note bad(String key, Object... values) {
            return new Note(true, key, List.of(values));
        }

        /** A value may be a sentence for programs. */
        public String in(View view) {
            return view.t(
                    key,
                    values.stream()
                            .map(value -> value instanceof String text ? view.said(text) : value)
                            .toArray());
        }
    }

    /** What was wrong with a form: a note per field name, and one for the form as a whole. */
    public record Faults(Map<String, Note> fields, @Nullable Note form) {
        public static final Faults NONE = new Faults(Map.of(), null);

        public Faults {
            fields = Map.copyOf(fields);
        }

        public @Nullable String of(String field, View view) {
            Note note = fields.get(field);
            return note == null ? null : note.in(view);
        }
    }

    /** Numbers that stand beside the doors of every page, by the door's path. Answers at once, from what is known. */
    @FunctionalInterface
    public interface Counts {
        Counts NONE = caller -> Map.of();

        Map<String, Long> of(Caller caller);
    }

    private final Texts texts;
    private final UnaryOperator<String> told;
    private final Pages.Assets assets;
    private final Counts counts;
    private final String theme;
    private final String nonce;
    private final String path;
    private final @Nullable Caller caller;

    View(
            Texts texts,
            UnaryOperator<String> told,
            Pages.Assets assets,
            Counts counts,
            String theme,
            String nonce,
            String path,
            @Nullable Caller caller) {
        this.texts = texts;
        this.told = told;
        this.assets = assets;
        this.counts = counts;
        this.theme = theme;
        this.nonce = nonce;
        this.path = path;
        this.caller = caller;
    }

    /** The text of a key in the viewer's language, with values put in as {@link java.text.MessageFormat} has it. */
    public String t(String key, Object... values) {
        return texts.text(key, values);
    }

    /** What programs are told in English, in the reader's words where somebody has written them down. */
    public String said(String message) {
        return told.apply(message);
    }

    /** Whether there is such a sentence, and it takes these values. What came in a cookie may be anything. */
    public boolean knows(Note note) {
        return texts.knows(note);
    }

    /** What stands beside a door; null: nothing. */
    public @Nullable Long count(String door) {
        return caller == null ? null : counts.of(caller).get(door);
    }

    public String lang() {
        return texts.language();
    }

    public Locale locale() {
        return texts.locale();
    }

    /** auto, light or dark. */
    public String theme() {
        return theme;
    }

    public String nonce() {
        return nonce;
    }

    public String asset(String name) {
        return assets.path(name);
    }

    /** The path of this page, with its query. */
    public String path() {
        return path;
    }

    public String version() {
        return Web.VERSION;
    }

    public @Nullable Caller caller() {
        return caller;
    }

    public boolean signedIn() {
        return caller != null;
    }

    static String language(@Nullable String chosen, String accepted) {
        if (chosen != null && Texts.LANGUAGES.contains(chosen)) {
            return chosen;
        }
        try {
            Locale best = Locale.lookup(Locale.LanguageRange.parse(accepted), Texts.LOCALES);
            return best == null ? "en" : best.getLanguage();
        } catch (IllegalArgumentException e) { // a header that is no language list, or an empty one
            return "en";
        }
    }

    static String theme(@Nullable String chosen) {
        return chosen != null && (chosen.equals("light") || chosen.equals("dark")) ? chosen : "auto";
    }

    /** All sentences of the portal in one language. A key without a text is a fault of the build, found by a test. */
    static final class Texts {
        static final List<String> LANGUAGES = List.of("en", "zh");
        private static final String SAID = "said.";
        private static final Pattern VALUE = Pattern.compile("\\{\\d}");
        static final List<Locale> LOCALES = LANGUAGES.stream().map(Locale::of).toList();

        private final String language;
        private final Locale locale;
        private final Map<String, String> patterns;

        private Texts(String language, Map<String, String> patterns) {
            this.language = language;
            this.locale = Locale.of(language);
            this.patterns = patterns;
        }

        static Texts read(String language, Pages.Assets.Source source) {
            try (Reader reader =
                    new InputStreamReader(source.open("texts/" + language + ".properties"), StandardCharsets.UTF_8)) {
                var properties = new Properties();
                properties.load(reader);
                var patterns = new HashMap<String, String>();
                properties.forEach((key, pattern) -> patterns.put(key.toString(), pattern.toString()));
                return new Texts(language, Map.copyOf(patterns));
            } catch (IOException e) {
                throw new IllegalStateException("texts of " + language + " can not be read", e);
            }
        }

        String text(String key, Object... values) {
            String pattern = patterns.get(key);
            if (pattern == null) {
                throw new IllegalArgumentException("no text for " + key + " in " + language);
            }
            return values.length == 0 ? pattern : new MessageFormat(pattern, locale).format(values);
        }

        /** What programs are told in these words, as readers of other words are; null: nobody has written it down. */
        @Nullable
        String said(String message, Texts other) {
            return patterns.keySet().stream()
                    .filter(key -> key.startsWith(SAID))
                    .sorted(Comparator.<String>comparingInt(key -> -pattern(key).length())
                            .thenComparing(key -> key))
                    .map(key -> said(key, message, other))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        private @Nullable String said(String key, String message, Texts other) {
            var matched = VALUE.matcher(pattern(key)).replaceAll("\\\\E(.+?)\\\\Q");
            var found = Pattern.compile("\\Q" + matched + "\\E", Pattern.DOTALL).matcher(message);
            if (!found.matches()) {
                return null;
            }
            return other.text(
                    key,
                    IntStream.rangeClosed(1, found.groupCount())
                            .mapToObj(found::group)
                            .toArray());
        }

        private String pattern(String key) {
            return patterns.getOrDefault(key, "");
        }

        boolean knows(Note note) {
            try {
                return patterns.containsKey(note.key())
                        && !text(note.key(), note.values().toArray()).isEmpty();
            } catch (IllegalArgumentException e) { // values of another kind
                return false;
            }
        }

        String language() {
            return language;
        }

        Locale locale() {
            return locale;
        }
    }
}
