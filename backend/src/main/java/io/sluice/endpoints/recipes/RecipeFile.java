package io.sluice.endpoints.recipes;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads one recipe. What it does not know it refuses, so that a misspelt word is not a word without effect. */
final class RecipeFile {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern OPTION = Pattern.compile("[a-z][a-z0-9_]{0,31}");
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Set<String> KEYS = Set.of(
            "title",
            "icon",
            "missing",
            "detect",
            "install",
            "start",
            "probe",
            "open",
            "headers",
            "options",
            "host",
            "sandboxed",
            "socket");

    private final Map<?, ?> file;

    private RecipeFile(Map<?, ?> file) {
        this.file = file;
    }

    static Recipe read(String name, String text) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of the file is the recipe's: small letters, digits and -, at most 32");
        }
        try {
            var settings = LoadSettings.builder().setMaxAliasesForCollections(0).build();
            if (!(new Load(settings).loadFromString(text) instanceof Map<?, ?> file)) {
                throw new IllegalArgumentException("it must be a mapping, as title: Name");
            }
            return new RecipeFile(file).recipe(name);
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException(
                    "it is not YAML: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    e);
        }
    }

    private Recipe recipe(String name) {
        only(file, KEYS, "");
        return new Recipe(
                name,
                text(file, "icon", "terminal"),
                texts(file, "title", true),
                texts(file, "missing", false),
                optional("detect"),
                optional("install"),
                optional("start"),
                probe(),
                path(file, "open", "/"),
                headers(),
                options(),
                host(),
                flag("sandboxed"),
                file.get("socket") == null ? null : path(file, "socket", "/"));
    }

    private Recipe.Probe probe() {
        if (!(file.get("probe") instanceof Map<?, ?> probe)) {
            return new Recipe.Probe("/", List.of());
        }
        only(probe, Set.of("path", "status"), "probe.");
        List<Integer> statuses = probe.get("status") instanceof List<?> list
                ? list.stream().map(RecipeFile::status).toList()
                : probe.get("status") == null ? List.of() : List.of(status(probe.get("status")));
        return new Recipe.Probe(path(probe, "path", "/"), statuses);
    }

    private static int status(@Nullable Object value) {
        if (value instanceof Integer number && number >= 100 && number < 600) {
            return number;
        }
        throw new IllegalArgumentException("probe.status is a status of HTTP, or a list of them, not " + value);
    }

    private Map<String, String> headers() {
        Map<String, String> headers = new LinkedHashMap<>();
        if (file.get("headers") instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (!HEADER.matcher(String.valueOf(key)).matches()
                        || !(value instanceof String text)
                        || control(text)) {
                    throw new IllegalArgumentException("headers." + key + " is no header with a text");
                }
                headers.put(String.valueOf(key), text);
            });
        }
        return headers;
    }

    private static boolean control(String text) {
        return text.chars().anyMatch(letter -> letter < ' ' || letter == 127);
    }

    private Map<String, Recipe.Option> options() {
        Map<String, Recipe.Option> options = new LinkedHashMap<>();
        if (file.get("options") instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (!OPTION.matcher(String.valueOf(key)).matches() || !(value instanceof Map<?, ?> option)) {
                    throw new IllegalArgumentException("options." + key + " is a name with title and default");
                }
                only(option, Set.of("title", "default"), "options." + key + ".");
                options.put(
                        String.valueOf(key),
                        new Recipe.Option(texts(option, "title", true), text(option, "default", "")));
            });
        }
        return options;
    }

    private boolean host() {
        String host = text(file, "host", "keep");
        if (!host.equals("keep") && !host.equals("rewrite")) {
            throw new IllegalArgumentException("host is keep or rewrite, not " + host);
        }
        return host.equals("rewrite");
    }

    private boolean flag(String key) {
        Object value = file.get(key);
        if (value != null && !(value instanceof Boolean)) {
            throw new IllegalArgumentException(key + " is true or false, not " + value);
        }
        return Boolean.TRUE.equals(value);
    }

    private static String path(Map<?, ?> map, String key, String byDefault) {
        String path = text(map, key, byDefault);
        if (!path.matches("/(?!/)[!-~&&[^\\\\]]{0,200}")) {
            throw new IllegalArgumentException(key + " is a path that begins with one slash, not " + path);
        }
        return path;
    }

    private @Nullable String optional(String key) {
        return file.get(key) == null ? null : text(file, key, "");
    }

    private static String text(Map<?, ?> map, String key, String byDefault) {
        Object value = map.get(key);
        if (value == null) {
            return byDefault;
        }
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException(key + " is a text, not " + value);
    }

    /** One for all, or one for each language. */
    private static Map<String, String> texts(Map<?, ?> map, String key, boolean needed) {
        Object value = map.get(key);
        if (value instanceof String text) {
            return Map.of("en", text);
        }
        if (value instanceof Map<?, ?> languages && languages.get("en") instanceof String) {
            Map<String, String> texts = new LinkedHashMap<>();
            languages.forEach((language, text) -> texts.put(String.valueOf(language), String.valueOf(text)));
            return texts;
        }
        if (value == null && !needed) {
            return Map.of();
        }
        throw new IllegalArgumentException(key + " is a text, or texts by language with one under en");
    }

    private static void only(Map<?, ?> map, Set<String> known, String prefix) {
        map.keySet().forEach(key -> {
            if (!known.contains(String.valueOf(key))) {
                throw new IllegalArgumentException(prefix + key + " means nothing here. What there is: "
                        + String.join(", ", new TreeSet<>(known)));
            }
        });
    }
}
