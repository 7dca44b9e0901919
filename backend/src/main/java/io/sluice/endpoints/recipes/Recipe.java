package io.sluice.endpoints.recipes;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How to have a program in a task and know that it answers. The scripts are bash's, and find the port, the address to
 * listen on, a secret and the options in variables.
 *
 * @param titles by language; as {@code missing}, what to do where the program is not there and can not be installed
 * @param detect succeeds where the program is there; null: it always is
 * @param install brings the program into the folder TOOLS; null: nothing does
 * @param start runs the program, and ends with it; null: the job itself has something that listens
 * @param open the path at which people begin; what stands in brackets belongs to it where the option in it is given
 * @param headers that every request to the app gets, so that nobody but the gateway is answered
 * @param rewriteHost whether the app wants to be called by its own address
 * @param sandboxed whether it can live in a page without an origin
 * @param socket the path of a WebSocket to try, null: it has none
 */
public record Recipe(
        String name,
        String icon,
        Map<String, String> titles,
        Map<String, String> missing,
        @Nullable String detect,
        @Nullable String install,
        @Nullable String start,
        Probe probe,
        String open,
        Map<String, String> headers,
        Map<String, Option> options,
        boolean rewriteHost,
        boolean sandboxed,
        @Nullable String socket) {

    /** Of a recipe, and of a variable of its script. */
    public static final String SECRET = "$SECRET";

    private static final Pattern GIVEN = Pattern.compile("\\[([^\\[\\]$]*)\\$([a-z]+)]");

    public Recipe {
        titles = Map.copyOf(titles);
        missing = Map.copyOf(missing);
        headers = Map.copyOf(headers);
    }

    /** The path at which somebody begins who has chosen these. */
    public String open(Map<String, String> chosen) {
        return GIVEN.matcher(open).replaceAll(part -> {
            String value = chosen.getOrDefault(part.group(2), "");
            String coded = URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
            return value.isEmpty() ? "" : Matcher.quoteReplacement(part.group(1) + coded.replace("%2F", "/"));
        });
    }

    /** What to ask, and what is a good answer; no statuses: any answer that is not the app's own fault. */
    public record Probe(String path, List<Integer> statuses) {
        public Probe {
            statuses = List.copyOf(statuses);
        }

        public boolean isGood(int status) {
            return statuses.isEmpty() ? status < 500 : statuses.contains(status);
        }
    }

    /** What can be chosen; goes into the variable {@code OPTION_NAME}. */
    public record Option(Map<String, String> titles, String byDefault) {
        public Option {
            titles = Map.copyOf(titles);
        }

        public String title(String language) {
            return in(titles, language);
        }
    }

    public String title(String language) {
        return in(titles, language);
    }

    public String missing(String language) {
        return in(missing, language);
    }

    /** Whether the program is ours to start, and to end. */
    public boolean runsProgram() {
        return start != null;
    }

    private static String in(Map<String, String> texts, String language) {
        return texts.getOrDefault(language, texts.getOrDefault("en", ""));
    }
}
