package io.sluice.files.links;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Links by the hashes of what stands in them. */
final class LinkStore {
    private static final String MAKE = """
            INSERT INTO files_links (user_id, hash, space, path, expires)
            SELECT $1, $2, $3, $4, now() + make_interval(hours => $5)
            WHERE (SELECT count(*) FROM files_links WHERE user_id = $1 AND expires > now()) < $6
            RETURNING id, space, path, expires, opened
            """;

    private static final String OF = """
            SELECT id, space, path, expires, opened FROM files_links WHERE user_id = $1 AND expires > now()
            ORDER BY expires, id
            """;

    private static final String OPEN = """
            UPDATE files_links l SET opened = opened + 1 FROM users u
            WHERE l.hash = $1 AND l.expires > now() AND u.id = l.user_id AND u.deleted IS NULL AND NOT u.disabled
            RETURNING l.user_id, u.name, u.admin, l.space, l.path, l.expires
            """;

    private static final String LOOK = """
            SELECT l.user_id, u.name, u.admin, l.space, l.path, l.expires FROM files_links l JOIN users u ON u.id = l.user_id
            WHERE l.hash = $1 AND l.expires > now() AND u.deleted IS NULL AND NOT u.disabled
            """;

    private final Database database;

    LinkStore(Database database) {
        this.database = database;
    }

    /** Empty: they have as many as one may. */
    Future<Optional<Link>> make(long user, Buffer hash, String space, String path, int hours, int most) {
        return database.pool()
                .preparedQuery(MAKE)
                .execute(Tuple.of(user, hash, space, path, hours, most))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(link(rows.iterator().next())));
    }

    private static Link link(Row row) {
        return new Link(
                row.getLong("id"),
                row.getString("space"),
                row.getString("path"),
                row.getOffsetDateTime("expires").toInstant(),
                row.getInteger("opened"));
    }

    Future<List<Link>> of(long user) {
        return database.pool().preparedQuery(OF).execute(Tuple.of(user)).map(rows -> {
            List<Link> all = new ArrayList<>();
            rows.forEach(row -> all.add(link(row)));
            return all;
        });
    }

    Future<Optional<Links.Opened>> open(Buffer hash) {
        return one(OPEN, hash);
    }

    Future<Optional<Links.Opened>> look(Buffer hash) {
        return one(LOOK, hash);
    }

    private Future<Optional<Links.Opened>> one(String sql, Buffer hash) {
        return database.pool()
                .preparedQuery(sql)
                .execute(Tuple.of(hash))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.iterator().next())
                                .map(row -> new Links.Opened(
                                        row.getLong("user_id"),
                                        row.getString("name"),
                                        row.getBoolean("admin"),
                                        row.getString("space"),
                                        row.getString("path"),
                                        row.getOffsetDateTime("expires").toInstant())));
    }

    Future<Boolean> remove(long user, long id) {
        return database.pool()
                .preparedQuery("DELETE FROM files_links WHERE user_id = $1 AND id = $2")
                .execute(Tuple.of(user, id))
                .map(rows -> rows.rowCount() > 0);
    }

    Future<Void> purge() {
        return database.pool()
                .preparedQuery("DELETE FROM files_links WHERE expires < now()")
                .execute()
                .mapEmpty();
    }
}
