package io.sluice.logs.keep;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which finished logs this gateway keeps. */
final class LogStore {
    /**
     * @param completed when the task's attempt ended
     * @param ended when its job did; null: it runs
     * @param stored what it takes of the disk
     */
    record Kept(
            long task,
            long job,
            Path file,
            Instant completed,
            @Nullable Instant ended,
            long stored) {}

    private final Database database;
    private final String gateway;

    LogStore(Database database, String gateway) {
        this.database = database;
        this.gateway = gateway;
    }

    /** A log that is known already stays as it is. */
    Future<Void> add(Kept log) {
        return write(
                "INSERT INTO kept_logs (gateway, task_id, job_id, file, completed, stored) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
                Tuple.of(gateway, log.task(), log.job(), log.file().toString(), time(log.completed()), log.stored()));
    }

    Future<Void> packed(long task, long stored) {
        return write(
                "UPDATE kept_logs SET packed = true, stored = $3 WHERE gateway = $1 AND task_id = $2",
                Tuple.of(gateway, task, stored));
    }

    Future<Void> remove(long task) {
        return write("DELETE FROM kept_logs WHERE gateway = $1 AND task_id = $2", Tuple.of(gateway, task));
    }

    /** How far the intake came. */
    Future<Instant> newest() {
        return database.pool()
                .preparedQuery("SELECT coalesce(max(completed), 'epoch') FROM kept_logs WHERE gateway = $1")
                .execute(Tuple.of(gateway))
                .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant());
    }

    /** Jobs with kept logs that have not ended as far as is known here, by id. */
    Future<List<Long>> running(long after, int most) {
        return database.read(
                "SELECT DISTINCT job_id FROM kept_logs WHERE gateway = $1 AND job_ended IS NULL AND job_id > $2 ORDER BY job_id LIMIT $3",
                Tuple.of(gateway, after, most),
                row -> row.getLong(0));
    }

    Future<Void> ended(Map<Long, Instant> jobs) {
        return write(
                "UPDATE kept_logs SET job_ended = news.at FROM unnest($2::bigint[], $3::timestamptz[]) AS news (job, at) WHERE gateway = $1 AND job_id = news.job",
                Tuple.of(
                        gateway,
                        jobs.keySet().toArray(Long[]::new),
                        jobs.values().stream().map(LogStore::time).toArray(OffsetDateTime[]::new)));
    }

    /** These run once more. */
    Future<Void> resumed(Collection<Long> jobs) {
        return write(
                "UPDATE kept_logs SET job_ended = NULL WHERE gateway = $1 AND job_id = ANY ($2)",
                Tuple.of(gateway, (Object) jobs.toArray(Long[]::new)));
    }

    /** What the logs of jobs that have ended take. */
    Future<Long> stored() {
        return database.pool()
                .preparedQuery(
                        "SELECT coalesce(sum(stored), 0)::bigint FROM kept_logs WHERE gateway = $1 AND job_ended IS NOT NULL")
                .execute(Tuple.of(gateway))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /** Those of the jobs that ended first, after that one, and none of these. */
    Future<List<Kept>> oldest(Collection<Long> not, @Nullable Kept after, int most) {
        Instant ended = after == null || after.ended() == null ? Instant.EPOCH : after.ended();
        return read(
                "SELECT * FROM kept_logs WHERE gateway = $1 AND (job_ended, job_id, task_id) > ($2, $3, $4) AND task_id <> ALL ($5) ORDER BY job_ended, job_id, task_id LIMIT $6",
                Tuple.of(gateway, time(ended), after == null ? 0 : after.job(), after == null ? 0 : after.task())
                        .addArrayOfLong(not.toArray(Long[]::new))
                        .addInteger(most));
    }

    Future<List<Kept>> toPack(Instant completedBefore, Collection<Long> not, int most) {
        return read(
                "SELECT * FROM kept_logs WHERE gateway = $1 AND NOT packed AND completed < $2 AND task_id <> ALL ($3) ORDER BY completed LIMIT $4",
                Tuple.of(gateway, time(completedBefore), not.toArray(Long[]::new), most));
    }

    private Future<List<Kept>> read(String sql, Tuple values) {
        return database.read(sql, values, LogStore::kept);
    }

    private static Kept kept(Row row) {
        OffsetDateTime ended = row.getOffsetDateTime("job_ended");
        return new Kept(
                row.getLong("task_id"),
                row.getLong("job_id"),
                Path.of(row.getString("file")),
                row.getOffsetDateTime("completed").toInstant(),
                ended == null ? null : ended.toInstant(),
                row.getLong("stored"));
    }

    private static OffsetDateTime time(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }

    private Future<Void> write(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).mapEmpty();
    }
}
