package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssetsTest {
    private static final Path PAGES = Path.of("../webapp/pages");

    @TempDir
    private Path folder;

    @Test
    void files_of_the_build_are_sent_compressed_and_kept_for_good() {
        try (var portal = new Portal(folder, settings -> settings, web -> List.of())) {
            String script = manifest().getString("app.js");
            for (String encoding : List.of("br", "gzip")) {
                var answer = portal.get(script, "Accept-Encoding", encoding);
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.getHeader("Content-Encoding")).isEqualTo(encoding);
                assertThat(answer.getHeader("Cache-Control")).contains("immutable");
                assertThat(answer.getHeader("Content-Type")).startsWith("text/javascript");
            }
            assertThat(portal.get(script, "Accept-Encoding", "identity").body().length())
                    .isGreaterThan(
                            portal.get(script, "Accept-Encoding", "br").body().length());
        }
    }

    @Test
    void what_the_build_did_not_make_is_not_there() {
        try (var portal = new Portal(folder, settings -> settings, web -> List.of())) {
            for (String path : List.of(
                    "/assets/nothing.js", "/assets/", "/assets.json", "/assets/app.js.map", "/texts/en.properties")) {
                assertThat(portal.get(path).statusCode()).as(path).isEqualTo(404);
            }
        }
    }

    @Test
    void both_languages_have_the_same_texts_and_every_text_that_a_page_names() throws IOException {
        Properties english = texts("en");
        Properties chinese = texts("zh");
        Set<Object> named = new HashSet<>();
        Pattern use = Pattern.compile("view\\.t\\(\"([^\"]+)\"[,)]");
        try (Stream<Path> pages = Files.walk(PAGES)) {
            for (Path page :
                    pages.filter(path -> path.toString().endsWith(".jte")).toList()) {
                use.matcher(Files.readString(page)).results().forEach(found -> named.add(found.group(1)));
            }
        }

        assertThat(named).isNotEmpty();
        assertThat(english.keySet()).isEqualTo(chinese.keySet()).containsAll(named);
    }

    @Test
    void every_kind_of_problem_has_its_words() throws IOException {
        for (Problem.Kind kind : Problem.Kind.values()) {
            String name =
                    "error." + kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
            assertThat(texts("en")).containsKeys(name + ".title", name + ".help");
        }
    }

    private static Properties texts(String language) throws IOException {
        var properties = new Properties();
        try (var reader = Files.newBufferedReader(
                Path.of("../webapp/texts/" + language + ".properties"), StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        return properties;
    }

    private static JsonObject manifest() {
        try (var stream = AssetsTest.class.getResourceAsStream("/assets.json")) {
            return new JsonObject(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
