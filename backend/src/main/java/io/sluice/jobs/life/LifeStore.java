package io.sluice.jobs.life;

import io.sluice.database.Database;
import io.sluice.jobs.Job;
import io.sluice.jobs.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who leads, and the transitions of jobs that only the leader makes: each one statement that names the states it may start from and the
 * epoch it belongs to, and says whether it was us who did it.
 */
final class LifeStore {
    private static final String LEAD = """
            UPDATE job_leader SET owner = $1, epoch = epoch + 1, until = now() + $2 * interval '1 ms'
            -- no term is that long: the clock was set back
            WHERE owner = $1 OR until < now() OR until > now() + 2 * $2 * interval '1 ms' RETURNING epoch, install
            """;

    private static final String STAY =
            "UPDATE job_leader SET until = now() + $3 * interval '1 ms' WHERE owner = $1 AND epoch = $2 RETURNING epoch";

    private static final String RESIGN = "UPDATE job_leader SET until = now() WHERE owner = $1 AND epoch = $2";

    private static final String ADOPT =
            "UPDATE jobs SET epoch = $1 WHERE state IN ('claimed', 'creating', 'started', 'exited')"
                    + " AND epoch < $1";

    private static final String REQUEUE = """
            WITH job AS (
                UPDATE jobs SET state = 'queued', shown = 'WAITING', attempt = attempt + 1, due = NULL, ran_ms = 0, queued = now(),
                    changed = pg_current_xact_id()
                -- no pause is that long: the clock was set back
                WHERE state = 'accepted' AND (due <= now() OR due > now() + interval '15 minutes')
                RETURNING id, attempt),
            event AS (
                INSERT INTO job_events (job_id, attempt, reason, message)
                SELECT id, attempt, 'Queued', 'Tried again: attempt ' || attempt FROM job)
            SELECT id FROM job
            """;

    private static final String HALT = "UPDATE jobs SET halt = $3 WHERE id = $1 AND epoch = $2 AND halt IS NULL"
            + " AND state IN ('claimed', 'creating', 'started') RETURNING id";

    private static final String END = """
            WITH job AS (
                UPDATE jobs SET state = 'exited', exit_code = $3, rest = NULL, waiting = NULL, changed = pg_current_xact_id(),
                    shown = CASE WHEN stop THEN 'STOPPING' WHEN doubt IS NOT NULL THEN shown ELSE 'RUNNING' END
                WHERE id = $1 AND epoch = $2 AND state IN ('claimed', 'creating', 'started')
                RETURNING id, attempt),
            attempt AS (
                UPDATE job_attempts a SET exit_code = $3, cause = $4::text::json
                FROM job WHERE a.job_id = job.id AND a.attempt = job.attempt)
            SELECT id FROM job
            """;

    private static final String FINALISE = """
            WITH job AS (
                UPDATE jobs SET state = 'finalised', shown = $3, doubt = NULL, completed = greatest(now(), launched),
                    changed = pg_current_xact_id()
                WHERE id = $1 AND epoch = $2 AND state = 'exited'
                RETURNING id, attempt),
            attempt AS (
                UPDATE job_attempts a SET completed = greatest(now(), a.launched)
                FROM job WHERE a.job_id = job.id AND a.attempt = job.attempt),
            event AS (
                INSERT INTO job_events (job_id, attempt, warning, reason, message)
                SELECT id, attempt, $3 = 'FAILED', $4, $5 FROM job)
            SELECT id FROM job
            """;

    private static final String RETRY = """
            WITH job AS (
                UPDATE jobs SET state = 'accepted', shown = 'RUNNING', doubt = NULL, due = now() + $3 * interval '1 ms', halt = NULL,
                    retries = retries + 1, user_retries = user_retries + $4, exit_code = NULL, changed = pg_current_xact_id()
                WHERE id = $1 AND epoch = $2 AND state = 'exited' AND NOT stop
                RETURNING id, attempt),
            attempt AS (
                UPDATE job_attempts a SET completed = greatest(now(), a.launched)
                FROM job WHERE a.job_id = job.id AND a.attempt = job.attempt),
            event AS (
                INSERT INTO job_events (job_id, attempt, warning, reason, message)
                SELECT id, attempt, true, 'AttemptFailed', $5 FROM job)
            SELECT id FROM job
            """;

    private static final String RAN = """
            WITH ran AS (
                UPDATE jobs SET ran_ms = ran_ms + more, halt = CASE WHEN ran_ms + more >= max_run_ms THEN coalesce(halt, $4) ELSE halt END
                FROM unnest($1::bigint[], $2::bigint[]) AS news(job, more)
                WHERE id = job AND epoch = $3 AND state = 'started'
                RETURNING id, halt)
            SELECT id FROM ran WHERE halt IS NOT NULL
            """;

    /** The state that is shown is of before; the one that counts stays. */
    private static final String DOUBT = """
            WITH before AS (
                SELECT id, doubt FROM jobs
                WHERE epoch = $1 AND state IN ('claimed', 'creating', 'started', 'exited') AND ($2::bigint[] IS NULL OR id = ANY($2))
                    AND doubt IS DISTINCT FROM $3
                FOR UPDATE),
            job AS (
                UPDATE jobs SET doubt = $3, shown = CASE WHEN shown = 'RUNNING' THEN 'UNKNOWN' ELSE shown END,
                    changed = pg_current_xact_id()
                FROM before WHERE jobs.id = before.id
                RETURNING jobs.id, attempt, before.doubt),
            event AS (
                INSERT INTO job_events (job_id, attempt, warning, reason, message)
                SELECT id, attempt, true, 'EngineAway', $3 FROM job WHERE doubt IS NULL)
            SELECT id FROM job
            """;

    private static final String CERTAIN = """
            WITH job AS (
                UPDATE jobs SET doubt = NULL, changed = pg_current_xact_id(),
                    shown = CASE WHEN shown <> 'UNKNOWN' THEN shown WHEN stop THEN 'STOPPING' ELSE 'RUNNING' END
                WHERE epoch = $1 AND doubt IS NOT NULL AND id <> ALL($2)
                RETURNING id, attempt),
            event AS (
                INSERT INTO job_events (job_id, attempt, reason, message)
                SELECT id, attempt, 'EngineBack', 'The engine answers again.' FROM job)
            SELECT id FROM job
            """;

    private final Database database;

    LifeStore(Database database) {
        this.database = database;
    }

    /** @param install whose runs are ours, whichever gateway started them */
    record Leadership(long epoch, String install) {}

    Future<Optional<Leadership>> lead(String owner, Duration term) {
        return database.pool()
                .preparedQuery(LEAD)
                .execute(Tuple.of(owner, term.toMillis()))
                .map(rows -> {
                    for (Row row : rows) {
                        return Optional.of(new Leadership(row.getLong("epoch"), row.getString("install")));
                    }
                    return Optional.empty();
                });
    }

    Future<Boolean> stay(String owner, long epoch, Duration term) {
        return did(STAY, Tuple.of(owner, epoch, term.toMillis()));
    }

    Future<Boolean> resign(String owner, long epoch) {
        return did(RESIGN, Tuple.of(owner, epoch));
    }

    Future<Boolean> adopt(long epoch) {
        return did(ADOPT, Tuple.of(epoch));
    }

    /** Whether anything was due. */
    Future<Boolean> requeueDue() {
        return did(REQUEUE, Tuple.tuple());
    }

    /** It is not known how these fare, or all that hold machines; whether that is news for any. */
    Future<Boolean> doubt(long epoch, @Nullable List<Long> jobs, String reason) {
        return did(
                DOUBT,
                Tuple.of(epoch)
                        .addValue(jobs == null ? null : jobs.toArray(Long[]::new))
                        .addValue(reason));
    }

    /** It is known again how all fare but these. */
    Future<Boolean> certain(long epoch, Set<Long> but) {
        return did(CERTAIN, Tuple.of(epoch).addValue(but.toArray(Long[]::new)));
    }

    /** The scheduler's own reason to end an attempt. */
    Future<Boolean> halt(long job, long epoch, int code) {
        return did(HALT, Tuple.of(job, epoch, code));
    }

    /** Adds to the time that these have run, in one statement however many they are; the answer are those that are to end. */
    Future<List<Long>> ran(long epoch, Map<Long, Duration> more) {
        List<Long> ids = List.copyOf(more.keySet());
        Long[] times = ids.stream()
                .map(id -> more.getOrDefault(id, Duration.ZERO).toMillis())
                .toArray(Long[]::new);
        return database.read(
                RAN,
                Tuple.tuple()
                        .addValue(ids.toArray(Long[]::new))
                        .addValue(times)
                        .addLong(epoch)
                        .addInteger(Exit.OUT_OF_TIME),
                row -> row.getLong(0));
    }

    Future<Boolean> end(long job, long epoch, Exit exit) {
        return did(END, Tuple.of(job, epoch, exit.code(), Json.write(exit)));
    }

    Future<Boolean> finalise(long job, long epoch, Job.State state, String message) {
        String reason = switch (state) {
            case SUCCEEDED -> "Succeeded";
            case STOPPED -> "Stopped";
            case WAITING, RUNNING, STOPPING, FAILED, UNKNOWN -> "Failed";
        };
        return did(FINALISE, Tuple.of(job, epoch, state.name(), reason, message));
    }

    Future<Boolean> retry(long job, long epoch, Completion.Again again, String message) {
        return did(RETRY, Tuple.of(job, epoch, again.after().toMillis(), again.accountable() ? 1 : 0, message));
    }

    private Future<Boolean> did(String sql, Tuple row) {
        return database.pool().preparedQuery(sql).execute(row).map(rows -> rows.rowCount() > 0);
    }

    static List<String> texts(Row row, String column) {
        String[] texts = row.getArrayOfStrings(column);
        return texts == null ? List.of() : List.of(texts);
    }
}
