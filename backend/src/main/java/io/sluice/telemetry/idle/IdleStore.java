package io.sluice.telemetry.idle;

import io.sluice.database.Database;
import io.sluice.jobs.clusters.IdleRule;
import io.sluice.jobs.clusters.IdleRule.Then;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Idle jobs as rows. What is told is written in the same statement as what it tells of, so that two gateways say it once. */
final class IdleStore {
    private static final String READ = """
            SELECT job_id, attempt, cluster, quiet_ms, level, seen, warned, coalesce(minutes, 0), coalesce(action, 'WARN'), due,
                coalesce(keep_hours, 0), kept_until, kept_by, done FROM idle_jobs
            """;

    /** Whoever has seen more is right; another attempt begins anew. */
    private static final String WATCH = """
            INSERT INTO idle_jobs (job_id, attempt, cluster, quiet_ms, level, seen)
            SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[], $5::real[], $6::timestamptz[]) AS seen (job)
            WHERE EXISTS (SELECT FROM jobs WHERE id = job)
            ON CONFLICT (job_id) DO UPDATE SET attempt = EXCLUDED.attempt, cluster = EXCLUDED.cluster, quiet_ms = EXCLUDED.quiet_ms,
                level = EXCLUDED.level, seen = EXCLUDED.seen,
                warned = CASE WHEN idle_jobs.attempt = EXCLUDED.attempt THEN idle_jobs.warned END,
                done = CASE WHEN idle_jobs.attempt = EXCLUDED.attempt THEN idle_jobs.done END,
                kept_until = CASE WHEN idle_jobs.attempt = EXCLUDED.attempt THEN idle_jobs.kept_until END
            WHERE idle_jobs.attempt < EXCLUDED.attempt OR idle_jobs.attempt = EXCLUDED.attempt AND idle_jobs.seen < EXCLUDED.seen
            """;

    private static final String WARN = """
            WITH warned AS (
                UPDATE idle_jobs SET warned = $3, minutes = $4, action = $5, due = $6, keep_hours = $7, kept_until = NULL, kept_by = NULL
                WHERE job_id = $1 AND attempt = $2 AND warned IS NULL AND (kept_until IS NULL OR kept_until <= $3)
                RETURNING job_id, attempt)
            INSERT INTO idle_notices (job_id, attempt, kind, message, made, due)
            SELECT job_id, attempt, notice ->> 'kind', notice -> 'message', $3, $3
            FROM warned, json_array_elements($8::text::json) AS notice
            """;

    /** One that was to be done and was not is done again. */
    private static final String ACT = """
            UPDATE idle_jobs SET done = $3
            WHERE job_id = $1 AND attempt = $2 AND warned IS NOT NULL AND due <= $3
                AND (done IS NULL OR done < $3::timestamptz - interval '1 minute')
            """;

    private static final String KEEP = """
            UPDATE idle_jobs SET warned = NULL, due = NULL, kept_until = $2::timestamptz + keep_hours * interval '1 hour', kept_by = $3
            WHERE job_id = $1 AND warned IS NOT NULL AND done IS NULL RETURNING attempt, keep_hours
            """;

    /** Of one that does something again. */
    private static final String LIFT =
            "DELETE FROM idle_jobs WHERE job_id = $1 AND attempt = $2 AND warned = $3 AND done IS NULL";

    private static final String FORGET = """
            DELETE FROM idle_jobs WHERE job_id = ANY ($1) AND warned IS NULL AND (kept_until IS NULL OR kept_until <= $2)
            """;

    /** Of what was stopped it stays known why, for as long as anybody may ask. */
    private static final String GONE = """
            DELETE FROM idle_jobs WHERE job_id <> ALL ($1) AND (done IS NULL OR done < $2::timestamptz - interval '30 days')
            """;

    private final Database database;

    IdleStore(Database database) {
        this.database = database;
    }

    Future<List<Warning>> all() {
        return database.read(READ, Tuple.tuple(), IdleStore::warning);
    }

    Future<List<Warning>> of(Collection<Long> jobs) {
        return database.read(
                READ + " WHERE job_id = ANY ($1)", Tuple.of(jobs.toArray(Long[]::new)), IdleStore::warning);
    }

    Future<Void> watch(List<Lulls.Job> jobs) {
        return database.pool()
                .preparedQuery(WATCH)
                .execute(Tuple.of(
                        jobs.stream().map(Lulls.Job::id).toArray(Long[]::new),
                        jobs.stream().map(Lulls.Job::attempt).toArray(Integer[]::new),
                        jobs.stream().map(Lulls.Job::cluster).toArray(String[]::new),
                        jobs.stream().map(job -> job.quiet().toMillis()).toArray(Long[]::new),
                        jobs.stream().map(job -> (float) job.level()).toArray(Float[]::new),
                        jobs.stream().map(job -> at(job.seen())).toArray(OffsetDateTime[]::new)))
                .mapEmpty();
    }

    /** @param notices what is told if it is us who warn */
    Future<Boolean> warn(Lulls.Job job, IdleRule rule, Instant now, JsonArray notices) {
        Tuple values = Tuple.of(
                        job.id(),
                        job.attempt(),
                        at(now),
                        rule.minutes(),
                        rule.then().name())
                .addValue(at(now.plusSeconds(rule.patience() * 60L)))
                .addValue(rule.keepHours())
                .addValue(notices.encode());
        return did(WARN, values);
    }

    Future<Boolean> act(Warning warning, Instant now) {
        return did(ACT, Tuple.of(warning.job(), warning.attempt(), at(now)));
    }

    /** Who kept it, for how many hours. */
    record Kept(int attempt, int hours) {}

    Future<List<Kept>> keep(long job, Instant now, String by) {
        return database.pool()
                .preparedQuery(KEEP)
                .execute(Tuple.of(job, at(now), by))
                .map(rows -> rows.stream()
                        .map(row -> new Kept(row.getInteger(0), row.getInteger(1)))
                        .toList());
    }

    Future<Boolean> lift(Warning warning) {
        return did(LIFT, Tuple.of(warning.job(), warning.attempt(), at(Objects.requireNonNull(warning.warned()))));
    }

    Future<Boolean> forget(Collection<Long> busy, Instant now) {
        return did(FORGET, Tuple.of(busy.toArray(Long[]::new), at(now)));
    }

    Future<Boolean> gone(Collection<Long> present, Instant now) {
        return did(GONE, Tuple.of(present.toArray(Long[]::new), at(now)));
    }

    private Future<Boolean> did(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).map(rows -> rows.rowCount() > 0);
    }

    private static Warning warning(Row row) {
        int at = 0;
        return new Warning(
                row.getLong(at++),
                row.getInteger(at++),
                row.getString(at++),
                row.getLong(at++),
                row.getFloat(at++),
                row.getOffsetDateTime(at++).toInstant(),
                instant(row.getOffsetDateTime(at++)),
                row.getInteger(at++),
                Then.valueOf(row.getString(at++)),
                instant(row.getOffsetDateTime(at++)),
                row.getInteger(at++),
                instant(row.getOffsetDateTime(at++)),
                row.getString(at++),
                instant(row.getOffsetDateTime(at)));
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }
}
