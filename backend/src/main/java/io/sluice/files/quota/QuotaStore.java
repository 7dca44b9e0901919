package io.sluice.files.quota;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is known of how much everybody has. */
final class QuotaStore {
    private static final String COLUMNS = "bytes, files, counted, most_bytes, most_files";
    private static final String OF = "SELECT " + COLUMNS + " FROM files_usage WHERE user_id = $1";

    private static final String MOST = """
            SELECT u.name, %s FROM files_usage f JOIN users u ON u.id = f.user_id
            WHERE u.deleted IS NULL ORDER BY bytes DESC, u.name LIMIT $1
            """.formatted(COLUMNS);

    private static final String ADD = """
            INSERT INTO files_usage (user_id, bytes, files) VALUES ($1, greatest($2, 0), greatest($3, 0))
            ON CONFLICT (user_id) DO UPDATE
            SET bytes = greatest(files_usage.bytes + $2, 0), files = greatest(files_usage.files + $3, 0)
            """;

    /** Whoever of several gateways asks first has them to count. */
    private static final String NEXT = """
            WITH one AS (SELECT u.id, u.name FROM users u LEFT JOIN files_usage f ON f.user_id = u.id
                WHERE u.deleted IS NULL AND (f.due IS NULL OR f.due <= now()) ORDER BY f.due NULLS FIRST LIMIT 1)
            INSERT INTO files_usage (user_id, due) SELECT id, now() + make_interval(secs => $1) FROM one
            ON CONFLICT (user_id) DO UPDATE SET due = now() + make_interval(secs => $1) WHERE files_usage.due <= now()
            RETURNING user_id, (SELECT name FROM one) AS name
            """;

    private static final String COUNTED =
            "UPDATE files_usage SET bytes = $2, files = $3, counted = now() WHERE user_id = $1";
    private static final String DOUBT =
            "UPDATE files_usage SET due = least(due, now() + make_interval(secs => $2)) WHERE user_id = $1";

    private static final String LIMIT = """
            INSERT INTO files_usage (user_id, most_bytes, most_files)
            SELECT id, $2, $3 FROM users WHERE lower(name) = lower($1) AND deleted IS NULL
            ON CONFLICT (user_id) DO UPDATE SET most_bytes = $2, most_files = $3
            """;

    private final Database database;
    private final Quotas.Settings settings;

    QuotaStore(Database database, Quotas.Settings settings) {
        this.database = database;
        this.settings = settings;
    }

    Future<Usage> of(long user) {
        return database.pool()
                .preparedQuery(OF)
                .execute(Tuple.of(user))
                .map(rows -> rows.size() == 0
                        ? new Usage(0, 0, null, settings.bytes(), settings.files())
                        : usage(rows.iterator().next()));
    }

    private Usage usage(Row row) {
        OffsetDateTime counted = row.getOffsetDateTime("counted");
        return new Usage(
                row.getLong("bytes"),
                row.getLong("files"),
                counted == null ? null : counted.toInstant(),
                most(row.getLong("most_bytes"), settings.bytes()),
                most(row.getLong("most_files"), settings.files()));
    }

    private static long most(@Nullable Long own, long usual) {
        return own == null ? usual : own;
    }

    Future<List<Quotas.Person>> most(int most) {
        return database.pool().preparedQuery(MOST).execute(Tuple.of(most)).map(rows -> {
            List<Quotas.Person> all = new ArrayList<>();
            rows.forEach(row -> all.add(new Quotas.Person(row.getString("name"), usage(row))));
            return all;
        });
    }

    Future<Void> add(long user, long bytes, long files) {
        return done(ADD, Tuple.of(user, bytes, files));
    }

    Future<Optional<Quotas.Due>> next(int seconds) {
        return database.pool()
                .preparedQuery(NEXT)
                .execute(Tuple.of((double) seconds))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.iterator().next())
                                .map(row -> new Quotas.Due(row.getLong("user_id"), row.getString("name"))));
    }

    Future<Void> counted(long user, Tally tally) {
        return done(COUNTED, Tuple.of(user, tally.bytes(), tally.files()));
    }

    Future<Void> doubt(long user, int seconds) {
        return done(DOUBT, Tuple.of(user, (double) seconds));
    }

    Future<Boolean> limit(String name, @Nullable Long bytes, @Nullable Long files) {
        return database.pool()
                .preparedQuery(LIMIT)
                .execute(Tuple.of(name, bytes, files))
                .map(rows -> rows.rowCount() > 0);
    }

    private Future<Void> done(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).mapEmpty();
    }
}
