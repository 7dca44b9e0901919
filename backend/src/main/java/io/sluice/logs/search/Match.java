package io.sluice.logs.search;

import java.util.List;

/**
 * A place that was found.
 *
 * @param start where the shown part of its line begins: the line itself, unless that is {@code cut}
 * @param text of the line, as much as is shown; bytes that are no UTF-8 are replaced
 */
public record Match(
        long offset, int length, long start, String text, boolean cut, List<String> before, List<String> after) {}
