package io.sluice.endpoints.terminal;

import io.sluice.engines.Command;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who comes to a task with a browser, and may.
 *
 * @param terminal that was left; null: a new one is wanted
 * @param offset of the first byte that has not been seen of it
 */
public record Visit(
        long user,
        String name,
        long job,
        String key,
        String role,
        int index,
        Command.Screen screen,
        @Nullable String terminal,
        long offset) {

    boolean isToSameTask(Visit other) {
        return user == other.user && job == other.job && role.equals(other.role) && index == other.index;
    }
}
