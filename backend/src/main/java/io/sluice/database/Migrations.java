package io.sluice.database;

import java.util.List;

/**
 * The changes of one room's tables, oldest first. A change that has been delivered never changes; a new one is added.
 *
 * @param room whose tables they are
 * @param beside the class beside whose package's folder {@code migrations} the files lie
 * @param names without {@code .sql}, such as {@code 001-users}
 */
public record Migrations(String room, Class<?> beside, List<String> names) {

    public Migrations {
        names = List.copyOf(names);
    }
}
