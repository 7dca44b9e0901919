package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.life.Scheduler;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.Read;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The transitions of jobs, each one statement that names the states it may start from and says whether it was us who did it. */
final class JobStore {
    private static final String TOUCH = "changed = pg_current_xact_id()";

    static final String SUBMIT = """
            WITH job AS (
                INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, priority_class, preemptible, demand,
                    tasks, roles, devices, retry_count, max_run_ms, state, shown, completed, exit_code, idempotency_key, body_hash,
                    tags)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, $11, $12, $13,
                    CASE WHEN $14::int IS NULL THEN 'queued' ELSE 'finalised' END,
                    CASE WHEN $14::int IS NULL THEN 'WAITING' ELSE 'FAILED' END,
                    CASE WHEN $14::int IS NOT NULL THEN now() END, $14, $15, $16, $23)
                ON CONFLICT ON CONSTRAINT jobs_name DO NOTHING
                RETURNING id),
            spec AS (
                INSERT INTO job_specs (job_id, spec, config, secrets)
                SELECT id, $17::text::json, $18, $19 FROM job),
            attempt AS (
                INSERT INTO job_attempts (job_id, attempt, completed, exit_code, cause)
                SELECT id, 0, now(), $14, $20::text::json FROM job WHERE $14::int IS NOT NULL),
            event AS (
                INSERT INTO job_events (job_id, attempt, warning, reason, message)
                SELECT id, 0, $14::int IS NOT NULL, $21, $22 FROM job)
            SELECT id FROM job
            """;

    private static final String EARLIER = """
            SELECT id, name, idempotency_key = $3 AS same_key, body_hash FROM jobs
            WHERE user_id = $1 AND idempotency_key = $3 OR user_name = $4 AND name = $2
            ORDER BY idempotency_key = $3 DESC NULLS LAST LIMIT 1
            """;

    private static final String STOP = """
            WITH job AS (
                UPDATE jobs SET stop = true, halt = coalesce($5::int, halt), waiting = NULL, due = NULL, changed = pg_current_xact_id(),
                    state = CASE WHEN state IN ('accepted', 'queued') THEN 'finalised' ELSE state END,
                    shown = CASE WHEN state IN ('accepted', 'queued') THEN 'STOPPED' ELSE 'STOPPING' END,
                    exit_code = CASE WHEN state IN ('accepted', 'queued') THEN -210 ELSE exit_code END,
                    completed = CASE WHEN state IN ('accepted', 'queued') THEN now() END
                WHERE id = $1 AND NOT stop AND state <> 'finalised' AND attempt = coalesce($4, attempt)
                RETURNING id, attempt, state),
            attempt AS (
                INSERT INTO job_attempts (job_id, attempt, completed, exit_code, cause)
                SELECT id, attempt, now(), -210, $3::text::json FROM job WHERE state = 'finalised'
                ON CONFLICT DO NOTHING),
            event AS (
                INSERT INTO job_events (job_id, attempt, reason, message)
                SELECT id, attempt, 'StopRequested', $2 FROM job)
            SELECT id FROM job
            """;

    /** A stopped job goes back into the queue as a new attempt. */
    private static final String START = """
            WITH job AS (
                UPDATE jobs SET stop = false, halt = NULL, created = NULL, launched = NULL, state = 'queued', shown = 'WAITING', exit_code = NULL, completed = NULL,
                    attempt = attempt + 1, ran_ms = 0, queued = now(), changed = pg_current_xact_id()
                WHERE id = $1 AND stop AND state = 'finalised'
                RETURNING id, attempt),
            event AS (
                INSERT INTO job_events (job_id, attempt, reason, message)
                SELECT id, attempt, 'StartRequested', $2 FROM job)
            SELECT id FROM job
            """;

    private final Database database;
    private final Database.Gathering submissions;

    JobStore(Database database) {
        this.database = database;
        this.submissions = database.gathering(SUBMIT);
    }

    /** Demand and spec are JSON; {@code exit} is why it can not start, else null. */
    record Submission(
            long userId,
            String user,
            String name,
            String virtualCluster,
            int priority,
            @Nullable String priorityClass,
            boolean preemptible,
            String demand,
            int tasks,
            int roles,
            int devices,
            int retryCount,
            @Nullable Integer maxRunSeconds,
            @Nullable Exit exit,
            @Nullable String idempotencyKey,
            @Nullable String bodyHash,
            List<String> tags,
            String spec,
            String config,
            @Nullable Buffer secrets) {

        /** @param bodyHash of what was sent with the key, null: there is none */
        static Submission of(
                long userId,
                String user,
                Read.Accepted job,
                @Nullable Exit exit,
                @Nullable String key,
                @Nullable String bodyHash,
                @Nullable Buffer secrets) {
            JobSpec spec = job.spec();
            return new Submission(
                    userId,
                    user,
                    spec.name(),
                    spec.virtualCluster(),
                    spec.priorityNumber(),
                    spec.priority() == null ? null : spec.priority().name().toLowerCase(Locale.ROOT),
                    spec.preemptible(),
                    Json.write(Scheduler.demand(spec)),
                    spec.taskCount(),
                    spec.roles().size(),
                    spec.deviceCount(),
                    spec.retryCount(),
                    spec.maxRunSeconds(),
                    exit,
                    key,
                    bodyHash,
                    spec.tags(),
                    Json.write(spec),
                    job.config(),
                    secrets);
        }
    }

    /** Somebody's job that a submission met. */
    record Earlier(
            long id, String name, boolean sameKey, @Nullable String bodyHash) {}

    /** Nothing when the name is taken. */
    Future<Optional<Long>> submit(Submission job) {
        return submissions.execute(Tuple.wrap(row(job))).map(JobStore::first);
    }

    /** The values of {@link #SUBMIT}. */
    static List<@Nullable Object> row(Submission job) {
        Integer limit = job.maxRunSeconds;
        Exit exit = job.exit;
        var row = new ArrayList<@Nullable Object>();
        row.add(job.userId);
        row.add(job.user);
        row.add(job.name);
        row.add(job.virtualCluster);
        row.add(job.priority);
        row.add(job.priorityClass);
        row.add(job.preemptible);
        row.add(job.demand);
        row.add(job.tasks);
        row.add(job.roles);
        row.add(job.devices);
        row.add(job.retryCount);
        row.add(limit == null ? null : limit * 1000L);
        row.add(exit == null ? null : exit.code());
        row.add(job.idempotencyKey);
        row.add(job.bodyHash);
        row.add(job.spec);
        row.add(job.config);
        row.add(job.secrets);
        row.add(exit == null ? null : Json.write(exit));
        row.add(exit == null ? "Accepted" : "CreationFailed");
        row.add(exit == null ? "The job is stored and in the queue." : String.valueOf(exit.message()));
        row.add(job.tags.toArray(String[]::new));
        return row;
    }

    /** What a submission collided with: the same key first, then the same name. */
    Future<Optional<Earlier>> earlier(long userId, String user, String name, @Nullable String key) {
        return database.pool()
                .preparedQuery(EARLIER)
                .execute(Tuple.of(userId, name, key, user))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(new Earlier(
                                row.getLong("id"),
                                row.getString("name"),
                                Boolean.TRUE.equals(row.getBoolean("same_key")),
                                row.getString("body_hash")));
                    }
                    return Optional.empty();
                });
    }

    /** Those of the names that a user's jobs have. */
    Future<Set<String>> taken(String user, List<String> names) {
        return database.pool()
                .preparedQuery("SELECT name FROM jobs WHERE user_name = $1 AND name = ANY($2)")
                .execute(Tuple.of(user, (Object) names.toArray(String[]::new)))
                .map(rows -> {
                    Set<String> taken = new HashSet<>();
                    rows.forEach(row -> taken.add(row.getString(0)));
                    return taken;
                });
    }

    /**
     * @param attempt that is to be stopped, and no other; null: whichever there is
     * @param why the code with which it is to end, null: on request
     */
    Future<Boolean> stop(long job, @Nullable Integer attempt, String message, @Nullable Integer why) {
        return did(STOP, Tuple.of(job, message, Json.write(Exit.of(Exit.STOPPED, message)), attempt, why));
    }

    Future<Boolean> start(long job, String message) {
        return did(START, Tuple.of(job, message));
    }

    /** Adds the tags that are missing, or takes away those that are there. */
    Future<Boolean> tag(long job, String tag, boolean add) {
        String sql = add
                ? "UPDATE jobs SET tags = array_append(tags, $2), " + TOUCH
                        + " WHERE id = $1 AND NOT tags @> ARRAY[$2] AND cardinality(tags) < " + Jobs.MOST_TAGS
                : "UPDATE jobs SET tags = array_remove(tags, $2), " + TOUCH + " WHERE id = $1 AND tags @> ARRAY[$2]";
        return did(sql, Tuple.of(job, tag));
    }

    private Future<Boolean> did(String sql, Tuple row) {
        return database.pool().preparedQuery(sql).execute(row).map(rows -> rows.rowCount() > 0);
    }

    private static Optional<Long> first(RowSet<Row> rows) {
        for (Row found : rows) {
            return Optional.of(found.getLong(0));
        }
        return Optional.empty();
    }
}
