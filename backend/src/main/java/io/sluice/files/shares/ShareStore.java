package io.sluice.files.shares;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** Shares, and who is in their groups. */
final class ShareStore {
    private static final String COLUMNS = "name, description, readers, writers, everywhere";
    private static final String ALL = "SELECT " + COLUMNS + " FROM files_shares ORDER BY name";

    private static final String OF = """
            SELECT %s, writers && mine AS writable
            FROM files_shares, (SELECT array_append(array_agg(group_name), 'default') AS mine FROM memberships
                WHERE user_id = $1) AS groups
            WHERE readers || writers && mine ORDER BY name
            """.formatted(COLUMNS);

    private static final String PUT = """
            INSERT INTO files_shares (%s) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO UPDATE
            SET description = $2, readers = $3, writers = $4, everywhere = $5
            """.formatted(COLUMNS);

    private final Database database;

    ShareStore(Database database) {
        this.database = database;
    }

    Future<List<Share>> all() {
        return database.pool().preparedQuery(ALL).execute().map(rows -> {
            List<Share> all = new ArrayList<>();
            rows.forEach(row -> all.add(share(row)));
            return all;
        });
    }

    Future<List<Held>> of(long user) {
        return database.pool().preparedQuery(OF).execute(Tuple.of(user)).map(rows -> {
            List<Held> held = new ArrayList<>();
            rows.forEach(row -> held.add(new Held(share(row), row.getBoolean("writable"))));
            return held;
        });
    }

    private static Share share(Row row) {
        return new Share(
                row.getString("name"),
                row.getString("description"),
                List.of(row.getArrayOfStrings("readers")),
                List.of(row.getArrayOfStrings("writers")),
                row.getBoolean("everywhere"));
    }

    Future<Void> put(Share share) {
        return database.pool()
                .preparedQuery(PUT)
                .execute(Tuple.of(
                        share.name(),
                        share.description(),
                        share.readers().toArray(String[]::new),
                        share.writers().toArray(String[]::new),
                        share.everywhere()))
                .mapEmpty();
    }

    Future<Boolean> remove(String name) {
        return database.pool()
                .preparedQuery("DELETE FROM files_shares WHERE name = $1")
                .execute(Tuple.of(name))
                .map(rows -> rows.rowCount() > 0);
    }
}
