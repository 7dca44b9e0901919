package io.sluice.identity;

import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.identity.People.Change;
import io.sluice.identity.People.Group;
import io.sluice.identity.People.Page;
import io.sluice.identity.People.SshKey;
import io.sluice.identity.People.User;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Users, groups and keys as rows. Whatever changes a row rings in the same statement. */
final class PeopleStore {
    static final String PEOPLE = "people";
    static final String CREDENTIALS = "credentials";
    private static final String RINGING = Doorbell.ringing(PEOPLE) + ", " + Doorbell.ringing(CREDENTIALS);
    private static final int EVERYBODY = 50_000;

    private static final String USER = """
            u.id, u.name, u.email, u.admin, u.disabled, \
            granted_clusters(u.id, u.virtual_clusters) AS virtual_clusters, u.extension::text AS extension, u.language, u.theme, \
            u.created, u.last_seen, u.password, u.deleted IS NOT NULL AS gone, \
            ARRAY(SELECT m.group_name FROM memberships m WHERE m.user_id = u.id ORDER BY 1) AS groups""";

    private final Database database;

    PeopleStore(Database database) {
        this.database = database;
    }

    /** A user with what is never shown: the stored password. */
    record Stored(User user, String password) {
        @Override
        public String toString() {
            return "Stored[" + user.name() + "]";
        }
    }

    Future<Optional<Stored>> withPassword(String name) {
        return one(
                "SELECT " + USER + " FROM users u WHERE lower(u.name) = lower($1) AND u.deleted IS NULL",
                Tuple.of(name),
                row -> new Stored(user(row), row.getString("password")));
    }

    Future<Optional<User>> named(String name) {
        return withPassword(name).map(stored -> stored.map(Stored::user));
    }

    Future<Optional<User>> numbered(long id) {
        return one(
                "SELECT " + USER + " FROM users u WHERE u.id = $1 AND u.deleted IS NULL",
                Tuple.of(id),
                PeopleStore::user);
    }

    Future<List<User>> all() {
        return many(
                "SELECT " + USER + " FROM users u WHERE u.deleted IS NULL ORDER BY u.id LIMIT " + EVERYBODY,
                Tuple.tuple(),
                PeopleStore::user);
    }

    Future<Long> count() {
        return one("SELECT count(*) FROM users WHERE deleted IS NULL", Tuple.tuple(), row -> row.getLong(0))
                .map(Optional::get);
    }

    /** Newest first, below {@code before}, or above it when {@code upwards}; with the cursor that follows from this very look. */
    Future<Page> page(String prefix, long edge, boolean upwards, int limit) {
        String like = prefix.toLowerCase(java.util.Locale.ROOT).replaceAll("([%_\\\\])", "\\\\$1") + "%";
        String search = prefix.isEmpty() ? "$1::text IS NOT NULL" : "(lower(u.name) LIKE $1 OR lower(u.email) LIKE $1)";
        String sql = """
                SELECT now.cursor, p.* FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor) now
                LEFT JOIN LATERAL (SELECT %s FROM users u WHERE u.deleted IS NULL AND u.id %s $2 AND %s
                    ORDER BY u.id %s LIMIT $3) p ON true ORDER BY p.id DESC
                """.formatted(USER, upwards ? ">" : "<", search, upwards ? "ASC" : "DESC");
        return rows(database.pool(), sql, Tuple.of(like, edge, limit)).map(PeopleStore::page);
    }

    /** Whose rows changed in transactions that a look with this cursor had not surely seen. May repeat, never misses. */
    Future<Page> since(String cursor, int limit) {
        String sql = """
                SELECT now.cursor, p.* FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor) now
                LEFT JOIN LATERAL (SELECT %s, u.born >= $1::text::xid8 AS added FROM users u
                    WHERE u.changed >= $1::text::xid8 ORDER BY u.id DESC LIMIT $2) p ON true ORDER BY p.id DESC
                """.formatted(USER);
        return rows(database.pool(), sql, Tuple.of(cursor, limit)).map(PeopleStore::page);
    }

    Future<User> add(String name, String email, String password, boolean admin) {
        return add(database.pool(), name, email, password, admin);
    }

    Future<User> add(SqlClient client, String name, String email, String password, boolean admin) {
        String sql = """
                WITH u AS (INSERT INTO users (name, email, password, admin) VALUES ($1, $2, $3, $4) RETURNING *)
                SELECT %s, %s FROM u
                """.formatted(USER, Doorbell.ringing(PEOPLE));
        return rows(client, sql, Tuple.of(name, email, password, admin))
                .map(rows -> user(rows.iterator().next()));
    }

    /** Empty when this would leave nobody to administrate. */
    Future<Optional<User>> change(long id, Change change) {
        return database.transaction(client -> rows(
                        client, // who changes administrators waits here for who did it a moment before
                        "SELECT id FROM users WHERE admin AND NOT disabled AND deleted IS NULL ORDER BY id FOR UPDATE",
                        Tuple.tuple())
                .map(rows -> change.removesAdministrator() && isOnly(rows, id))
                .compose(last -> last ? Future.succeededFuture(Optional.empty()) : apply(client, id, change)));
    }

    private static boolean isOnly(RowSet<Row> administrators, long id) {
        return administrators.size() == 1 && administrators.iterator().next().getLong(0) == id;
    }

    private Future<Optional<User>> apply(SqlClient client, long id, Change change) {
        String sql = """
                WITH u AS (UPDATE users SET email = coalesce($2, email), password = coalesce($3, password),
                    admin = coalesce($4, admin), disabled = coalesce($5, disabled),
                    deleted = CASE WHEN $6 THEN now() END, virtual_clusters = coalesce($7, virtual_clusters),
                    extension = extension || coalesce($8::text::jsonb, '{}') WHERE id = $1 AND deleted IS NULL RETURNING *)
                SELECT %s, %s FROM u
                """.formatted(USER, change.touchesCredentials() ? RINGING : Doorbell.ringing(PEOPLE));
        Tuple values = Tuple.of(id, change.email(), change.password(), change.admin(), change.disabled())
                .addBoolean(change.delete())
                .addArrayOfString(array(change.virtualClusters()))
                .addString(
                        change.extension() == null ? null : change.extension().encode());
        List<String> groups = change.groups();
        List<SshKey> keys = change.keys();
        return (groups == null ? Future.<Void>succeededFuture() : regroup(client, id, groups))
                .compose(grouped -> keys == null ? Future.succeededFuture() : replaceKeys(client, id, keys))
                .compose(grouped -> rows(client, sql, values))
                .map(rows -> first(rows, PeopleStore::user))
                .compose(changed -> endSessions(client, id, change).map(changed));
    }

    private static Future<Void> endSessions(SqlClient client, long id, Change change) {
        if (!change.endsSessions()) {
            return Future.succeededFuture();
        }
        Future<Void> sessions = rows(
                        client,
                        "DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2",
                        Tuple.of(id, change.survivor()))
                .mapEmpty();
        return change.delete()
                ? sessions.compose(ended ->
                                rows(client, "DELETE FROM application_tokens WHERE user_id = $1", Tuple.of(id)))
                        .compose(ended -> rows(client, "DELETE FROM ssh_keys WHERE user_id = $1", Tuple.of(id)))
                        .compose(ended -> rows(client, "DELETE FROM memberships WHERE user_id = $1", Tuple.of(id)))
                        .mapEmpty()
                : sessions;
    }

    /** Replaces a password only while it is still the one that was checked. */
    Future<Void> rehash(long id, String old, String fresh) {
        return rows(
                        database.pool(),
                        "UPDATE users SET password = $3 WHERE id = $1 AND password = $2",
                        Tuple.of(id, old, fresh))
                .mapEmpty();
    }

    Future<Void> prefer(long id, @Nullable String language, @Nullable String theme) {
        return rows(
                        database.pool(),
                        "UPDATE users SET language = coalesce($2, language), theme = coalesce($3, theme) WHERE id = $1",
                        Tuple.of(id, language, theme))
                .mapEmpty();
    }

    Future<Boolean> isLastAdministrator(long id) {
        return rows(
                        database.pool(),
                        "SELECT id FROM users WHERE admin AND NOT disabled AND deleted IS NULL LIMIT 2",
                        Tuple.tuple())
                .map(rows -> isOnly(rows, id));
    }

    /** Fails on a group that is not there (constraint {@code memberships_group_name_fkey}). */
    private static Future<Void> regroup(SqlClient client, long id, List<String> groups) {
        return rows(
                        client,
                        "DELETE FROM memberships WHERE user_id = $1 AND NOT group_name = ANY($2)",
                        Tuple.of(id).addArrayOfString(array(groups)))
                .compose(removed -> rows(
                        client,
                        "INSERT INTO memberships SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING",
                        Tuple.of(id).addArrayOfString(array(groups))))
                .mapEmpty();
    }

    /** @param member only groups of this user; null for all */
    Future<List<Group>> groups(@Nullable Long member) {
        return many("""
                SELECT name, description, external_name, extension::text AS extension FROM user_groups
                WHERE $1::bigint IS NULL OR name IN (SELECT group_name FROM memberships WHERE user_id = $1)
                ORDER BY name LIMIT\s""" + EVERYBODY, Tuple.tuple().addLong(member), PeopleStore::group);
    }

    Future<Optional<Group>> group(String name) {
        return one(
                "SELECT name, description, external_name, extension::text AS extension FROM user_groups WHERE name = $1",
                Tuple.of(name),
                PeopleStore::group);
    }

    Future<Boolean> addGroup(Group group) {
        return rows(
                        database.pool(),
                        """
                        INSERT INTO user_groups (name, description, external_name, extension)
                        VALUES ($1, $2, $3, $4::text::jsonb) ON CONFLICT DO NOTHING""",
                        Tuple.of(
                                group.name(),
                                group.description(),
                                group.externalName(),
                                group.extension().encode()))
                .map(rows -> rows.rowCount() == 1);
    }

    Future<Boolean> changeGroup(Group group) {
        return rows(
                        database.pool(),
                        """
                        UPDATE user_groups SET description = $2, external_name = $3, extension = $4::text::jsonb
                        WHERE name = $1""",
                        Tuple.of(
                                group.name(),
                                group.description(),
                                group.externalName(),
                                group.extension().encode()))
                .map(rows -> rows.rowCount() == 1);
    }

    Future<Boolean> removeGroup(String name) {
        String sql = """
                WITH members AS (UPDATE users SET disabled = disabled
                        WHERE id IN (SELECT user_id FROM memberships WHERE group_name = $1)),
                    gone AS (DELETE FROM user_groups WHERE name = $1 RETURNING name)
                SELECT %s FROM gone""".formatted(Doorbell.ringing(PEOPLE));
        return rows(database.pool(), sql, Tuple.of(name)).map(rows -> rows.size() == 1);
    }

    Future<List<User>> members(String group) {
        return many("SELECT " + USER + """
                 FROM users u JOIN memberships g ON g.user_id = u.id AND g.group_name = $1
                WHERE u.deleted IS NULL ORDER BY u.id LIMIT\s""" + EVERYBODY, Tuple.of(group), PeopleStore::user);
    }

    Future<List<SshKey>> keys(long user) {
        return keysOf(List.of(user)).map(keys -> keys.getOrDefault(user, List.of()));
    }

    Future<Map<Long, List<SshKey>>> keysOf(List<Long> users) {
        return rows(
                        database.pool(),
                        "SELECT * FROM ssh_keys WHERE user_id = ANY($1) ORDER BY id",
                        Tuple.tuple().addArrayOfLong(users.toArray(Long[]::new)))
                .map(rows -> rows.stream()
                        .collect(Collectors.groupingBy(
                                row -> row.getLong("user_id"),
                                Collectors.mapping(PeopleStore::key, Collectors.toList()))));
    }

    private static SshKey key(Row row) {
        return new SshKey(
                row.getLong("id"),
                row.getString("name"),
                row.getString("kind"),
                row.getString("body"),
                row.getString("fingerprint"),
                instant(row, "added"));
    }

    /** Those that stay keep their time. */
    private static Future<Void> replaceKeys(SqlClient client, long user, List<SshKey> keys) {
        Tuple values = Tuple.of(user);
        for (Function<SshKey, String> part :
                List.<Function<SshKey, String>>of(SshKey::fingerprint, SshKey::name, SshKey::kind, SshKey::body)) {
            values.addArrayOfString(keys.stream().map(part).toArray(String[]::new));
        }
        String sql = """
                WITH gone AS (DELETE FROM ssh_keys WHERE user_id = $1 AND NOT fingerprint = ANY($2))
                INSERT INTO ssh_keys (user_id, fingerprint, name, kind, body)
                SELECT $1::bigint, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING""";
        return rows(client, sql, values).mapEmpty();
    }

    /** False when there are as many as allowed. */
    Future<Boolean> addKey(long user, SshKey key, int most) {
        return rows(database.pool(), """
                        INSERT INTO ssh_keys (user_id, name, kind, body, fingerprint)
                        SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM ssh_keys WHERE user_id = $1) < $6""", Tuple.of(user, key.name(), key.kind(), key.body(), key.fingerprint(), most))
                .map(rows -> rows.rowCount() == 1);
    }

    Future<Optional<String>> removeKey(long user, long key) {
        return one(
                "DELETE FROM ssh_keys WHERE user_id = $1 AND id = $2 RETURNING name",
                Tuple.of(user, key),
                row -> row.getString(0));
    }

    private static Page page(RowSet<Row> rows) {
        var users = new ArrayList<User>();
        var added = new ArrayList<Long>();
        String cursor = "";
        for (Row row : rows) {
            cursor = row.getString("cursor");
            if (row.getLong("id") != null) {
                users.add(user(row));
                if (row.getColumnIndex("added") >= 0 && row.getBoolean("added")) {
                    added.add(row.getLong("id"));
                }
            }
        }
        return new Page(users, added, cursor);
    }

    private static User user(Row row) {
        return new User(
                row.getLong("id"),
                row.getString("name"),
                row.getString("email"),
                row.getBoolean("admin"),
                row.getBoolean("disabled"),
                row.getBoolean("gone"),
                List.of(row.getArrayOfStrings("groups")),
                List.of(row.getArrayOfStrings("virtual_clusters")),
                new JsonObject(row.getString("extension")),
                row.getString("language"),
                row.getString("theme"),
                instant(row, "created"),
                maybe(row, "last_seen"));
    }

    private static Group group(Row row) {
        return new Group(
                row.getString("name"),
                row.getString("description"),
                row.getString("external_name"),
                new JsonObject(row.getString("extension")));
    }

    static Instant instant(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }

    static @Nullable Instant maybe(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private <T> Future<Optional<T>> one(String sql, Tuple values, Function<Row, T> read) {
        return rows(database.pool(), sql, values).map(rows -> first(rows, read));
    }

    private <T> Future<List<T>> many(String sql, Tuple values, Function<Row, T> read) {
        return rows(database.pool(), sql, values)
                .map(rows -> rows.stream().map(read).toList());
    }

    private static <T> Optional<T> first(RowSet<Row> rows, Function<Row, T> read) {
        return rows.stream().findFirst().map(read);
    }

    private static Future<RowSet<Row>> rows(SqlClient client, String sql, Tuple values) {
        return client.preparedQuery(sql).execute(values);
    }

    private static String @Nullable [] array(@Nullable List<String> values) {
        return values == null ? null : values.toArray(String[]::new);
    }
}
