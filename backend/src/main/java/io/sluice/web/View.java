package io.sluice.web;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** What every template may know of the page it draws: language, theme, who looks, and where files lie. */
public final class View {
    public static final String LANGUAGE_COOKIE = "sluice_lang";
    public static final String THEME_COOKIE = "sluice_theme";

    /** What the error page tells; its words stand in the texts under {@code error.<kind>.title} and {@code error.<kind>.help}. */
    public record Failure(String kind, int status, String message, String id) {}

    private final Texts texts;
    private final Pages.Assets assets;
    private final String theme;
    private final String nonce;
    private final String path;
    private final @Nullable Caller caller;

    View(Texts texts, Pages.Assets assets, String theme, String nonce, String path, @Nullable Caller caller) {
        this.texts = texts;
        this.assets = assets;
        this.theme = theme;
        this.nonce = nonce;
        this.path = path;
        this.caller = caller;
    }

    /** The text of a key in the viewer's language, with values put in as {@link java.text.MessageFormat} has it. */
    public String t(String key, Object... values) {
        return texts.text(key, values);
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

        String language() {
            return language;
        }

        Locale locale() {
            return locale;
        }
    }
}
