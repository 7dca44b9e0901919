package io.sluice.jobs.data;

import io.sluice.database.Database;
import io.sluice.jobs.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How far inputs and outputs are. Only who owns the job's epoch writes. */
final class TransferStore {
    private static final String TELL = """
            INSERT INTO job_data AS d (job_id, attempt, way, name, address, state, files, bytes, all_files, all_bytes, message,
                place)
            SELECT $1, $2, lower(n.way), n.name, n.address, lower(n.state), n.files, n.bytes, n."allFiles", n."allBytes", n.message, $5
            FROM jsonb_to_recordset($4::text::jsonb) AS n(way text, name text, address text, state text, files bigint, bytes bigint,
                "allFiles" bigint, "allBytes" bigint, message text)
            WHERE EXISTS (SELECT FROM jobs WHERE id = $1 AND epoch = $3 AND attempt = $2)
            ON CONFLICT (job_id, attempt, way, name) DO UPDATE SET state = excluded.state, files = excluded.files,
                bytes = excluded.bytes, all_files = excluded.all_files, all_bytes = excluded.all_bytes,
                message = excluded.message, place = coalesce(excluded.place, d.place), changed = now()
            """;

    private static final String LOST = """
            INSERT INTO job_events (job_id, attempt, warning, reason, message)
            SELECT id, attempt, true, 'DataNotBroughtBack', $3 FROM jobs WHERE id = $1 AND epoch = $2
            """;

    private final Database database;

    TransferStore(Database database) {
        this.database = database;
    }

    /**
     * Whether we are still who may say so.
     *
     * @param place where the attempt's files lie, from now on; null: nothing new
     */
    Future<Boolean> tell(long job, int attempt, long epoch, List<Transfer> news, @Nullable String place) {
        return database.pool()
                .preparedQuery(TELL)
                .execute(Tuple.of(job, attempt, epoch, Json.write(news), place))
                .map(rows -> rows.rowCount() > 0);
    }

    /** In the history of the job. */
    Future<Void> lost(long job, long epoch, String message) {
        return database.pool()
                .preparedQuery(LOST)
                .execute(Tuple.of(job, epoch, message))
                .mapEmpty();
    }

    /** Where an attempt's files lie; empty: no task of it had what it needs. */
    Future<Optional<String>> place(long job, int attempt) {
        return database.read(
                        "SELECT place FROM job_data WHERE job_id = $1 AND attempt = $2 AND place IS NOT NULL LIMIT 1",
                        Tuple.of(job, attempt),
                        row -> row.getString(0))
                .map(found -> found.stream().findFirst());
    }

    Future<List<Transfer>> of(long job, int attempt) {
        return database.read(
                "SELECT * FROM job_data WHERE job_id = $1 AND attempt = $2 ORDER BY way, name",
                Tuple.of(job, attempt),
                TransferStore::transfer);
    }

    private static Transfer transfer(Row row) {
        return new Transfer(
                Transfer.Way.valueOf(row.getString("way").toUpperCase(Locale.ROOT)),
                row.getString("name"),
                row.getString("address"),
                Transfer.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
                row.getLong("files"),
                row.getLong("bytes"),
                row.getLong("all_files"),
                row.getLong("all_bytes"),
                row.getString("message"),
                row.getOffsetDateTime("changed").toInstant());
    }
}
