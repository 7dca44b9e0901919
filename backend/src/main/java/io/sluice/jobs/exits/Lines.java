package io.sluice.jobs.exits;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Properties;

/** The resources of this package. */
final class Lines {
    private static final Properties ENGLISH = english();

    private Lines() {}

    /** Without comments and empty lines. */
    static List<String> of(String resource) {
        try (InputStream stream = Objects.requireNonNull(Lines.class.getResourceAsStream(resource))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String english(String key) {
        return Objects.requireNonNull(ENGLISH.getProperty(key), () -> "no text for " + key);
    }

    private static Properties english() {
        var texts = new Properties();
        try (InputStream stream = Objects.requireNonNull(Lines.class.getResourceAsStream("/texts/en.properties"))) {
            texts.load(new InputStreamReader(stream, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }
}
