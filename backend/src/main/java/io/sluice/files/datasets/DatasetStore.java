package io.sluice.files.datasets;

import io.sluice.database.Database;
import io.sluice.files.catalogue.EntryStore;
import io.sluice.files.quota.Tally;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/** Datasets as rows. */
final class DatasetStore extends EntryStore<Dataset, Dataset.Content> {
    /** What is accepted and in a share is counted from now on. */
    private static final String DUE = "CASE WHEN $%d = 'accepted' AND NOT starts_with($%d, 's3://') THEN now() END";

    private static final String ADD = """
            INSERT INTO files_datasets (user_id, user_name, name, description, path, readers, bytes, standing, due)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, %s) RETURNING *
            """.formatted(DUE.formatted(8, 5));

    private static final String CHANGE = """
            UPDATE files_datasets SET name = $3, description = $4, path = $5, readers = $6, standing = $8, word = '', changed = now(),
                bytes = CASE WHEN path = $5 AND starts_with($5, '/') THEN bytes ELSE $7 END,
                files = CASE WHEN path = $5 THEN files END, counted = CASE WHEN path = $5 THEN counted END,
                fault = CASE WHEN path = $5 THEN fault ELSE '' END, due = %s
            WHERE id = $1 AND standing = $2 RETURNING *
            """.formatted(DUE.formatted(8, 5));

    private static final Statements STATEMENTS = new Statements(
            "files_datasets",
            "readers && (SELECT array_append(array_agg(group_name), 'default') FROM memberships m WHERE m.user_id = $1)",
            "name || ' ' || path || ' ' || description",
            "($6 = 's3') = starts_with(path, 's3://')",
            ADD,
            CHANGE,
            ", due = CASE WHEN $2 = 'accepted' AND starts_with(path, '/') THEN now() END");

    /** Whoever of several gateways asks first counts it. */
    private static final String NEXT = """
            UPDATE files_datasets SET due = now() + make_interval(secs => $1) WHERE id = (
                SELECT id FROM files_datasets WHERE due <= now() ORDER BY due LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING *
            """;

    /** Unless somebody has wished meanwhile that it is counted at once. */
    private static final String LATER = "CASE WHEN due > now() THEN now() + make_interval(secs => $3) ELSE due END";

    DatasetStore(Database database) {
        super(database, STATEMENTS);
    }

    @Override
    protected Tuple values(Tuple first, Dataset.Content content) {
        return first.addString(content.name())
                .addString(content.description())
                .addString(content.path())
                .addArrayOfString(content.readers().toArray(String[]::new))
                .addLong(content.told());
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

    @Override
    protected Dataset entry(Row row) {
        OffsetDateTime counted = row.getOffsetDateTime("counted");
        Long bytes = row.getLong("bytes");
        var content = new Dataset.Content(
                row.getString("name"),
                row.getString("description"),
                row.getString("path"),
                List.of(row.getArrayOfStrings("readers")),
                counted == null ? bytes : null);
        return new Dataset(
                row.getLong("id"),
                content,
                standing(row),
                bytes,
                row.getLong("files"),
                counted == null ? null : counted.toInstant(),
                row.getString("fault"));
    }
}
