package io.sluice.jobs.pages;

import java.util.Map;

/**
 * A program that a room above can open in a running job: the form of a new job offers it.
 *
 * @param name as it stands in {@code extras.sluice.endpoints}
 * @param titles by language
 */
public record App(String name, Map<String, String> titles) {
    public App {
        titles = Map.copyOf(titles);
    }

    public String title(String language) {
        return titles.getOrDefault(language, titles.getOrDefault("en", name));
    }
}
