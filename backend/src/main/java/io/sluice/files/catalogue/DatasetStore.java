package io.sluice.files.catalogue;

import io.sluice.database.Database;
import io.sluice.files.quota.Tally;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** Datasets as rows. */
final class DatasetStore implements Catalogue.Rows<Dataset, Dataset.Content> {
    private static final String SEEN = """
            ($2 OR user_id = $1 OR standing = 'accepted' AND readers && (
                SELECT array_append(array_agg(group_name), 'default') FROM memberships m WHERE m.user_id = $1))
            """;

    private static final String PAGE = """
            SELECT * FROM files_datasets WHERE %s
                AND ($3 = '' OR strpos(lower(name || ' ' || path || ' ' || description), $3) > 0)
                AND ($4 = '' OR standing = $4) AND (NOT $5 OR user_id = $1) AND ($6 = '' OR ($6 = 's3') = starts_with(path, 's3://'))
            ORDER BY lower(name), id OFFSET $7 LIMIT $8
            """.formatted(SEEN);

    private static final String WAITING =
            "SELECT count(*) FROM files_datasets WHERE standing = 'proposed' AND ($2 OR user_id = $1)";

    /** What is accepted and in a share is counted from now on. */
    private static final String DUE = "CASE WHEN $%d = 'accepted' AND NOT starts_with($%d, 's3://') THEN now() END";

    private static final String ADD = """
            INSERT INTO files_datasets (user_id, user_name, name, description, path, readers, bytes, standing, due)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, %s) RETURNING *
            """.formatted(DUE.formatted(8, 5));

    /** Only as it stood when it was looked at: what the administrator has accepted meanwhile is not changed under their word. */
    private static final String CHANGE = """
            UPDATE files_datasets SET name = $3, description = $4, path = $5, readers = $6, standing = $8, word = '', changed = now(),
                bytes = CASE WHEN path = $5 AND starts_with($5, '/') THEN bytes ELSE $7 END,
                files = CASE WHEN path = $5 THEN files END, counted = CASE WHEN path = $5 THEN counted END,
                fault = CASE WHEN path = $5 THEN fault ELSE '' END, due = %s
            WHERE id = $1 AND standing = $2 RETURNING *
            """.formatted(DUE.formatted(8, 5));

    private static final String ANSWER = """
            UPDATE files_datasets SET standing = $2, word = $3, changed = now(),
                due = CASE WHEN $2 = 'accepted' AND starts_with(path, '/') THEN now() END
            WHERE id = $1 AND date_trunc('milliseconds', changed) = date_trunc('milliseconds', $4::timestamptz) RETURNING *
            """;

    /** Whoever of several gateways asks first counts it. */
    private static final String NEXT = """
            UPDATE files_datasets SET due = now() + make_interval(secs => $1) WHERE id = (
                SELECT id FROM files_datasets WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING *
            """;

    /** Unless somebody has wished meanwhile that it is counted at once. */
    private static final String LATER = "CASE WHEN due > now() THEN now() + make_interval(secs => $3) ELSE due END";

    private final Database database;

    DatasetStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<List<Dataset>> page(Caller caller, CatalogueQuery query, int most) {
        return database.read(
                PAGE,
                seen(caller)
                        .addString(query.words())
                        .addString(query.state())
                        .addBoolean(query.isMine())
                        .addString(query.kind())
                        .addInteger(query.from())
                        .addInteger(most),
                DatasetStore::dataset);
    }

    private static Tuple seen(Caller caller) {
        return Tuple.of(caller.id(), caller.admin());
    }

    @Override
    public Future<Long> waiting(Caller caller) {
        return database.pool()
                .preparedQuery(WAITING)
                .execute(seen(caller))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    @Override
    public Future<Optional<Dataset>> find(Caller caller, long id) {
        return one(
                "SELECT * FROM files_datasets WHERE id = $3 AND " + SEEN,
                seen(caller).addLong(id));
    }

    @Override
    public Future<Dataset> add(Caller caller, Dataset.Content content, Standing.State state) {
        return one(ADD, values(Tuple.of(caller.id(), caller.name()), content, state))
                .map(Optional::orElseThrow);
    }

    private static Tuple values(Tuple first, Dataset.Content content, Standing.State state) {
        return first.addString(content.name())
                .addString(content.description())
                .addString(content.path())
                .addArrayOfString(content.readers().toArray(String[]::new))
                .addLong(content.told())
                .addString(state.key());
    }

    @Override
    public Future<Optional<Dataset>> change(Dataset old, Dataset.Content content, Standing.State state) {
        return one(CHANGE, values(Tuple.of(old.id(), old.standing().state().key()), content, state));
    }

    @Override
    public Future<Optional<Dataset>> answer(long id, Standing.Word word) {
        return one(ANSWER, Tuple.of(id, word.state().key(), word.text(), word.read()));
    }

    @Override
    public Future<Boolean> remove(Dataset old) {
        return database.pool()
                .preparedQuery("DELETE FROM files_datasets WHERE id = $1 AND standing = $2")
                .execute(Tuple.of(old.id(), old.standing().state().key()))
                .map(rows -> rows.rowCount() > 0);
    }

    Future<Void> doubt(long id) {
        return done("UPDATE files_datasets SET due = now() WHERE id = $1", Tuple.of(id));
    }

    Future<Optional<Dataset>> next(Duration claim) {
        return one(NEXT, Tuple.of((double) claim.toSeconds()));
    }

    /** Whoever counts it goes on. */
    Future<Void> claim(Dataset dataset, Duration claim) {
        return done(
                "UPDATE files_datasets SET due = %s WHERE id = $1 AND path = $2".formatted(LATER),
                of(dataset, claim.toSeconds()));
    }

    private static Tuple of(Dataset dataset, long seconds) {
        return Tuple.of(dataset.id(), dataset.content().path(), (double) seconds);
    }

    Future<Void> counted(Dataset counted, Tally tally, int again) {
        return done(
                "UPDATE files_datasets SET due = %s, bytes = $4, files = $5, counted = now(), fault = '' WHERE id = $1 AND path = $2"
                        .formatted(LATER),
                of(counted, again).addLong(tally.bytes()).addLong(tally.files()));
    }

    Future<Void> uncounted(Dataset uncounted, String fault, int again) {
        return done(
                "UPDATE files_datasets SET due = %s, fault = $4 WHERE id = $1 AND path = $2".formatted(LATER),
                of(uncounted, again).addString(fault));
    }

    private Future<Void> done(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).mapEmpty();
    }

    private Future<Optional<Dataset>> one(String sql, Tuple values) {
        return database.pool()
                .preparedQuery(sql)
                .execute(values)
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(dataset(rows.iterator().next())));
    }

    private static Dataset dataset(Row row) {
        OffsetDateTime counted = row.getOffsetDateTime("counted");
        Long bytes = row.getLong("bytes");
        var content = new Dataset.Content(
                row.getString("name"),
                row.getString("description"),
                row.getString("path"),
                List.of(row.getArrayOfStrings("readers")),
                counted == null ? bytes : null);
        var standing = new Standing(
                Standing.State.valueOf(row.getString("standing").toUpperCase(Locale.ROOT)),
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getString("word"),
                Objects.requireNonNull(row.getOffsetDateTime("changed")).toInstant());
        return new Dataset(
                row.getLong("id"),
                content,
                standing,
                bytes,
                row.getLong("files"),
                counted == null ? null : counted.toInstant(),
                row.getString("fault"));
    }
}
