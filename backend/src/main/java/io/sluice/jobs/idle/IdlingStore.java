package io.sluice.jobs.idle;

import io.sluice.database.Database;
import io.sluice.jobs.life.Exit;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;

/** One attempt of a job is meant, and never the next. */
final class IdlingStore {
    private static final String NOTE = """
            WITH job AS (
                UPDATE jobs SET changed = pg_current_xact_id() WHERE id = $1 AND attempt = $2 RETURNING id, attempt)
            INSERT INTO job_events (job_id, attempt, warning, reason, message)
            SELECT id, attempt, $3, $4, $5 FROM job
            """;

    /** Life reads what is wanted of a job when it is touched; until then nothing is lost, for it stands in the row. */
    private static final String REQUEUE = """
            WITH job AS (
                UPDATE jobs SET halt = $3, changed = pg_current_xact_id()
                WHERE id = $1 AND attempt = $2 AND halt IS NULL AND NOT stop AND state IN ('claimed', 'creating', 'started')
                RETURNING id, attempt)
            INSERT INTO job_events (job_id, attempt, warning, reason, message)
            SELECT id, attempt, true, $4, $5 FROM job
            """;

    private final Database database;

    IdlingStore(Database database) {
        this.database = database;
    }

    Future<Boolean> note(long job, int attempt, boolean warning, String reason, String message) {
        return did(NOTE, Tuple.of(job, attempt, warning, reason, message));
    }

    Future<Boolean> requeue(long job, int attempt, String reason, String message) {
        return did(REQUEUE, Tuple.of(job, attempt, Exit.IDLE, reason, message));
    }

    private Future<Boolean> did(String sql, Tuple row) {
        return database.pool().preparedQuery(sql).execute(row).map(rows -> rows.rowCount() > 0);
    }
}
