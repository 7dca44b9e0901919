package io.sluice.jobs.life;

import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.database.Database;
import io.sluice.jobs.Job;
import io.sluice.jobs.Json;
import io.sluice.jobs.gang.Place;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Waiting;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The transitions of tasks, and what they hold of nodes. */
final class TaskStore {
    /** The claim of a job: it, its tasks and all that is given to them, or nothing. Of one that is no gang, a lot of its tasks. */
    private static final String CLAIM = """
            WITH leader AS (
                -- a gateway that takes over waits for this claim, and then sees it
                SELECT 1 FROM job_leader WHERE epoch = $2 FOR SHARE),
            free AS (
                SELECT id FROM jobs WHERE id = $1 AND NOT stop AND EXISTS (SELECT FROM leader)
                    AND (state = 'queued' AND $6::text IS NULL OR state IN ('claimed', 'creating', 'started') AND epoch = $2
                        AND halt IS NULL AND rest = $6::text::jsonb)
                FOR UPDATE SKIP LOCKED),
            job AS (
                UPDATE jobs SET state = CASE WHEN state = 'queued' THEN 'claimed' ELSE state END, rest = $7::text::jsonb,
                    epoch = $2, created = coalesce(created, now()), waiting = NULL,
                    changed = pg_current_xact_id()
                FROM free WHERE jobs.id = free.id RETURNING jobs.id, attempt),
            attempt AS (
                INSERT INTO job_attempts (job_id, attempt) SELECT id, attempt FROM job ON CONFLICT DO NOTHING),
            task AS (
                INSERT INTO tasks (job_id, attempt, role_number, role, task_index, run_name, node, address, devices, ports,
                    cpus, memory_mb, place)
                SELECT job.id, job.attempt, t.role_number, t.role, t.task_index,
                    'sluice-' || $5 || '-' || job.id || '-' || t.run_name || '-' || t.task_index || '-' || job.attempt || '.0',
                    t.node, t.address, t.devices, t.ports, t.cpus, t.memory_mb, t.place
                FROM job, jsonb_to_recordset($3::text::jsonb) AS t(role_number int, role text,
                    task_index int, run_name text, node text, address text, devices text[], ports json, cpus int, memory_mb int,
                    place json)
                RETURNING id, job_id, node, devices, ports),
            given AS (
                INSERT INTO allocations (node, kind, item, job_id, task_id)
                SELECT node, 'device', unnest(devices), job_id, id FROM task
                UNION ALL
                SELECT node, 'port', port.value, job_id, id
                FROM task, json_each(ports) AS label, json_array_elements_text(label.value) AS port),
            event AS (
                INSERT INTO job_events (job_id, attempt, reason, message) SELECT id, attempt, 'Placed', $4 FROM job)
            SELECT id FROM job
            """;

    private static final String CREATING = """
            WITH job AS (
                UPDATE jobs SET state = 'creating', changed = pg_current_xact_id()
                WHERE id = $1 AND epoch = $2 AND state = 'claimed' AND NOT stop),
            task AS (
                UPDATE tasks t SET state = 'creating' FROM jobs j
                WHERE t.id = ANY($3) AND t.state = 'claimed' AND j.id = $1 AND j.epoch = $2 AND NOT j.stop
                    AND j.state IN ('claimed', 'creating', 'started')
                RETURNING t.id)
            SELECT id FROM task
            """;

    private static final String PREPARING = """
            UPDATE jobs SET waiting = $3::text::jsonb, changed = pg_current_xact_id()
            -- of one that is no gang, the queue says what the rest waits for
            WHERE id = $1 AND epoch = $2 AND (state IN ('claimed', 'creating') OR state = 'started' AND rest IS NULL)
                AND waiting IS DISTINCT FROM $3::text::jsonb
            """;

    private static final String STARTED = """
            WITH news AS (SELECT * FROM jsonb_to_recordset($3::text::jsonb) AS n(id bigint, at timestamptz, image text)),
            task AS (
                UPDATE tasks t SET state = 'started', launched = greatest(news.at, t.created) FROM news, jobs j
                WHERE t.id = news.id AND t.state = 'creating' AND j.id = t.job_id AND j.epoch = $2
                RETURNING t.job_id, t.attempt, t.role, t.task_index, t.node, t.launched, news.image),
            job AS (
                UPDATE jobs SET changed = pg_current_xact_id(), waiting = NULL, launched = coalesce(launched, (SELECT min(launched) FROM task)),
                    state = CASE WHEN state = 'creating' THEN 'started' ELSE state END,
                    shown = CASE WHEN state = 'creating' AND NOT stop THEN 'RUNNING' ELSE shown END
                WHERE id = $1 AND EXISTS (SELECT FROM task)),
            attempt AS (
                UPDATE job_attempts a SET launched = coalesce(a.launched, (SELECT min(launched) FROM task))
                WHERE a.job_id = $1 AND a.attempt = (SELECT attempt FROM task LIMIT 1)),
            event AS (
                INSERT INTO job_events (job_id, attempt, role, task_index, reason, message)
                SELECT job_id, attempt, role, task_index, 'Started', 'Started on ' || node || coalesce(' in ' || image, '') FROM task)
            SELECT job_id FROM task
            """;

    private static final String EXITED = """
            WITH news AS (
                SELECT * FROM jsonb_to_recordset($3::text::jsonb)
                    AS n(id bigint, code int, cause json, message text, at timestamptz, again bigint, accountable int, run text)),
            task AS (
                UPDATE tasks t SET state = 'exited', completed = greatest(coalesce(news.at, now()), t.launched, t.created),
                    released = now(), exit_code = news.code, cause = news.cause
                FROM news, jobs j
                WHERE t.id = news.id AND t.state <> 'exited' AND j.id = t.job_id AND j.epoch = $2
                RETURNING t.*, news.message, news.again, news.accountable, news.run),
            again AS (
                INSERT INTO tasks (job_id, attempt, role_number, role, task_index, task_attempt, run_name, node, address, devices,
                    ports, cpus, memory_mb, place, retries, user_retries, due)
                SELECT job_id, attempt, role_number, role, task_index, task_attempt + 1, run, node, address, devices, ports,
                    cpus, memory_mb, place, retries + 1, user_retries + accountable, now() + again * interval '1 ms'
                FROM task WHERE again IS NOT NULL
                RETURNING id, role_number, task_index),
            moved AS (
                UPDATE allocations a SET task_id = again.id
                FROM task, again
                WHERE a.task_id = task.id AND again.role_number = task.role_number AND again.task_index = task.task_index),
            freed AS (
                DELETE FROM allocations a USING task WHERE a.task_id = task.id AND task.again IS NULL),
            job AS (
                UPDATE jobs SET changed = pg_current_xact_id() WHERE id = $1 AND EXISTS (SELECT FROM task)),
            event AS (
                INSERT INTO job_events (job_id, attempt, role, task_index, warning, reason, message)
                SELECT job_id, attempt, role, task_index, exit_code NOT IN (0, -210, -220, -253), 'Exited', message FROM task)
            SELECT id FROM task
            """;

    private static final String JOB = """
            SELECT j.user_id, j.user_name, j.name, j.virtual_cluster, j.state, j.attempt, j.stop, j.halt, j.retry_count, j.retries,
                j.user_retries, a.cause, CASE WHEN j.state = 'exited' THEN (
                    SELECT count(*)::int FROM job_attempts p
                    WHERE p.job_id = j.id AND p.attempt < j.attempt AND p.exit_code = $3) ELSE 0 END AS preemptions
            FROM jobs j LEFT JOIN job_attempts a ON a.job_id = j.id AND a.attempt = j.attempt
            WHERE j.id = $1 AND j.epoch = $2 AND j.state IN ('claimed', 'creating', 'started', 'exited')
            """;

    private static final String TASKS = """
            SELECT * FROM (
                SELECT DISTINCT ON (role_number, task_index) id, role_number, role, task_index, task_attempt, state, run_name,
                    node, address, devices, ports, place, retries, user_retries, launched, completed, exit_code, cause,
                    coalesce(due <= now() OR due > now() + interval '15 minutes', true) AS is_due
                FROM tasks WHERE job_id = $1 AND attempt = $2 ORDER BY role_number, task_index, task_attempt DESC) newest
            ORDER BY completed NULLS LAST, id
            """;

    private final Database database;

    TaskStore(Database database) {
        this.database = database;
    }

    /** A task that gets its place, with the names of the columns; {@code run_name} is the part of it that stands for the role. */
    record Placed(
            int role_number,
            String role,
            int task_index,
            String run_name,
            String node,
            String address,
            List<String> devices,
            Map<String, List<Integer>> ports,
            int cpus,
            int memory_mb,
            Place place) {}

    /** What became of a task; {@code again} in milliseconds, null: not. */
    record Ended(
            long id,
            int code,
            Exit cause,
            String message,
            @Nullable String at,
            @Nullable Long again,
            int accountable,
            @Nullable String run) {
        static Ended of(long id, Exit exit, String message, @Nullable Instant at) {
            return new Ended(id, exit.code(), exit, message, at == null ? null : at.toString(), null, 0, null);
        }

        Ended again(Completion.Again again, String run) {
            return new Ended(id, code, cause, message, at, again.after().toMillis(), again.accountable() ? 1 : 0, run);
        }
    }

    /** @param image what exactly it runs in, null: there is none */
    record Begun(long id, String at, @Nullable String image) {}

    /**
     * Which of the job's tasks are claimed.
     *
     * @param before what it still demanded, null: it has nothing yet
     * @param rest what it demands afterwards, null: nothing
     */
    record Lot(@Nullable List<Demand.Role> before, @Nullable List<Demand.Role> rest) {}

    /** False when somebody else has it, or it is not in the queue any more. Fails on {@code allocations_once} when a place is taken. */
    Future<Boolean> claim(long job, long epoch, List<Placed> tasks, String install, String message, Lot lot) {
        return database.pool()
                .preparedQuery(CLAIM)
                .execute(Tuple.of(job, epoch, Json.write(tasks), message, install)
                        .addString(json(lot.before()))
                        .addString(json(lot.rest())))
                .map(rows -> rows.size() > 0);
    }

    private static @Nullable String json(@Nullable Object value) {
        return value == null ? null : Json.write(value);
    }

    /** The intent to start these; the answer are those that may be started. */
    Future<List<Long>> creating(long job, long epoch, List<Long> tasks) {
        return database.pool()
                .preparedQuery(CREATING)
                .execute(Tuple.of(job, epoch).addValue(tasks.toArray(Long[]::new)))
                .map(rows -> {
                    List<Long> ids = new ArrayList<>();
                    rows.forEach(row -> ids.add(row.getLong(0)));
                    return ids;
                });
    }

    /** What it waits for although it has its machines; whether that is news. */
    Future<Boolean> preparing(long job, long epoch, Waiting reason) {
        return database.pool()
                .preparedQuery(PREPARING)
                .execute(Tuple.of(job, epoch, Json.write(reason)))
                .map(rows -> rows.rowCount() > 0);
    }

    Future<Boolean> started(long job, long epoch, List<Begun> tasks) {
        return changed(STARTED, job, epoch, tasks);
    }

    Future<Boolean> exited(long job, long epoch, List<Ended> tasks) {
        return changed(EXITED, job, epoch, tasks);
    }

    private Future<Boolean> changed(String sql, long job, long epoch, List<?> tasks) {
        return database.pool()
                .preparedQuery(sql)
                .execute(Tuple.of(job, epoch, Json.write(tasks)))
                .map(rows -> rows.size() > 0);
    }

    /** The present attempt of a job that is ours and holds machines. */
    Future<Optional<Attempt>> attempt(long job, long epoch) {
        return database.pool()
                .preparedQuery(JOB)
                .execute(Tuple.of(job, epoch, Exit.PREEMPTED))
                .compose(rows -> {
                    for (Row row : rows) {
                        return database.read(TASKS, Tuple.of(job, row.getInteger("attempt")), TaskStore::task)
                                .map(tasks -> Optional.of(attempt(job, row, tasks)));
                    }
                    return Future.succeededFuture(Optional.empty());
                });
    }

    private static Attempt attempt(long job, Row row, List<Attempt.Task> tasks) {
        return new Attempt(
                job,
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getString("name"),
                row.getString("virtual_cluster"),
                Job.Phase.ofColumn(row.getString("state")),
                row.getInteger("attempt"),
                row.getBoolean("stop"),
                row.getInteger("halt"),
                row.getInteger("retry_count"),
                row.getInteger("retries"),
                row.getInteger("user_retries"),
                row.getInteger("preemptions"),
                Json.readIfAny(text(row, "cause"), Exit.class),
                tasks);
    }

    private static Attempt.Task task(Row row) {
        return new Attempt.Task(
                row.getLong("id"),
                row.getInteger("role_number"),
                row.getString("role"),
                row.getInteger("task_index"),
                row.getInteger("task_attempt"),
                Job.Phase.ofColumn(row.getString("state")),
                row.getString("run_name"),
                row.getString("node"),
                row.getString("address"),
                LifeStore.texts(row, "devices"),
                ports(row),
                Json.readIfAny(text(row, "place"), Place.class),
                row.getInteger("retries"),
                row.getInteger("user_retries"),
                row.getBoolean("is_due"),
                instant(row, "launched"),
                Json.readIfAny(text(row, "cause"), Exit.class));
    }

    static Map<String, List<Integer>> ports(Row row) {
        return Json.read(String.valueOf(row.getValue("ports")), new TypeReference<Map<String, List<Integer>>>() {});
    }

    static @Nullable String text(Row row, String column) {
        Object value = row.getValue(column);
        return value == null ? null : value.toString();
    }

    static @Nullable Instant instant(Row row, String column) {
        OffsetDateTime time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    /** What a job was submitted as, and its sealed secrets. */
    record Spec(JobSpec spec, @Nullable Buffer secrets) {}

    Future<Spec> spec(long job) {
        return database.pool()
                .preparedQuery("SELECT spec::text AS spec, secrets FROM job_specs WHERE job_id = $1")
                .execute(Tuple.of(job))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    return new Spec(Json.read(row.getString("spec"), JobSpec.class), row.getBuffer("secrets"));
                });
    }

    /** Run names of tasks that should be running. */
    Future<List<String>> runs(String state) {
        return database.read(
                "SELECT run_name FROM tasks WHERE state <> 'exited' AND state = $1",
                Tuple.of(state),
                row -> row.getString(0));
    }

    /** Of these jobs, those that hold machines. */
    Future<Set<Long>> alive(Set<Long> jobs) {
        return database.read(
                        "SELECT id FROM jobs WHERE id = ANY ($1) AND state IN ('claimed', 'creating', 'started', 'exited')",
                        Tuple.tuple().addValue(jobs.toArray(Long[]::new)),
                        row -> row.getLong(0))
                .map(Set::copyOf);
    }

    /** Of these jobs, those that may run still or again. */
    Future<Set<Long>> unfinished(Set<Long> jobs) {
        return database.read(
                        "SELECT id FROM jobs WHERE id = ANY ($1) AND state <> 'finalised'",
                        Tuple.tuple().addValue(jobs.toArray(Long[]::new)),
                        row -> row.getLong(0))
                .map(Set::copyOf);
    }

    /** Of these runs, those that nobody waits for any more, and whether the outcome of its task is stored; else no task is known here at all. */
    Future<Map<String, Boolean>> over(List<String> runs) {
        return database.read(
                        """
                SELECT name, t.state IS NOT NULL FROM unnest($1::text[]) AS name LEFT JOIN tasks t ON t.run_name = name
                WHERE coalesce(t.state = 'exited', true)
                """,
                        Tuple.tuple().addValue(runs.toArray(String[]::new)),
                        row -> Map.entry(row.getString(0), row.getBoolean(1)))
                .map(rows -> rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
}
