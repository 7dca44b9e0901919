package io.sluice.jobs.pages;

import org.jspecify.annotations.Nullable;

/**
 * A part of the job page that a room above serves, as a lazy frame {@code panel-NAME} at {@code /jobs/{user}~{job}/panels/NAME}.
 *
 * @param title key of its text
 * @param script that it loads, null: none; the page loads it beforehand
 * @param several whether only jobs of several tasks have it
 */
public record Panel(
        String name, String title, String icon, @Nullable String script, boolean several) {
    public Panel(String name, String title, String icon, @Nullable String script) {
        this(name, title, icon, script, false);
    }
}
