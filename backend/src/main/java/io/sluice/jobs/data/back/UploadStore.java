package io.sluice.jobs.data.back;

import io.sluice.database.Database;
import io.sluice.jobs.data.back.Unfinished.Upload;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Uploads in parts, from their beginning to their end. */
final class UploadStore {
    /** Each is somebody's for ten minutes, who tries to have it thrown away. */
    private static final String LEFT = """
            UPDATE job_uploads SET tried = now()
            WHERE (store, bucket, key, upload) IN (
                SELECT u.store, u.bucket, u.key, u.upload FROM job_uploads u
                WHERE (u.tried IS NULL OR u.tried < now() - interval '10 minutes')
                    AND NOT EXISTS (SELECT FROM jobs j WHERE j.id = u.job_id AND j.state <> 'finalised')
                ORDER BY u.tried NULLS FIRST LIMIT $1 FOR UPDATE SKIP LOCKED)
            RETURNING *, begun < now() - interval '7 days' AS old
            """;

    private final Database database;

    UploadStore(Database database) {
        this.database = database;
    }

    Future<Optional<String>> known(long job, String store, String bucket, String key) {
        return database.read(
                        "SELECT upload FROM job_uploads WHERE job_id = $1 AND store = $2 AND bucket = $3 AND key = $4"
                                + " ORDER BY begun DESC LIMIT 1",
                        Tuple.of(job, store, bucket, key),
                        row -> row.getString(0))
                .map(found -> found.stream().findFirst());
    }

    Future<Void> begun(Upload one) {
        return database.pool()
                .preparedQuery("INSERT INTO job_uploads (job_id, user_id, store, bucket, key, upload)"
                        + " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING")
                .execute(Tuple.of(one.job(), one.user(), one.store(), one.bucket(), one.key(), one.id()))
                .mapEmpty();
    }

    Future<Void> over(Upload one) {
        return database.pool()
                .preparedQuery("DELETE FROM job_uploads WHERE store = $1 AND bucket = $2 AND key = $3 AND upload = $4")
                .execute(Tuple.of(one.store(), one.bucket(), one.key(), one.id()))
                .mapEmpty();
    }

    Future<List<Upload>> left(int most) {
        return database.pool()
                .preparedQuery(LEFT)
                .mapping(UploadStore::upload)
                .execute(Tuple.of(most))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false).toList());
    }

    private static Upload upload(Row row) {
        return new Upload(
                row.getLong("job_id"),
                row.getLong("user_id"),
                row.getString("store"),
                row.getString("bucket"),
                row.getString("key"),
                row.getString("upload"),
                row.getBoolean("old"));
    }
}
