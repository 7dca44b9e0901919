package io.sluice.jobs.pages;

/**
 * A part of the job page that a room above serves, as a lazy frame {@code panel-NAME} at {@code /jobs/{user}~{job}/panels/NAME}.
 *
 * @param title key of its text
 */
public record Panel(String name, String title, String icon) {}
