package io.sluice.telemetry.history;

import io.sluice.database.Database;
import io.sluice.jobs.lists.Holder;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What tasks did, for when no history of them is left. */
final class SummaryStore {
    private final Database database;

    SummaryStore(Database database) {
        this.database = database;
    }

    Future<Void> save(Holder holder, Kept kept, boolean finished) {
        return database.pool()
                .preparedQuery("""
                        INSERT INTO task_summaries (task_id, job_id, attempt, role, task_index, task_attempt, finished, summary)
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::json)
                        ON CONFLICT (task_id) DO UPDATE SET finished = $7, changed = now(), summary = EXCLUDED.summary
                        """)
                .execute(Tuple.of(
                        holder.task(),
                        holder.job(),
                        holder.attempt(),
                        holder.role(),
                        holder.index(),
                        holder.taskAttempt(),
                        finished,
                        kept.toJson().encode()))
                .mapEmpty();
    }

    /** Of what ended long ago the sums stay and the points go, some at a time. */
    Future<Integer> thin(Duration age, int most) {
        return database.pool()
                .preparedQuery("""
                        WITH old AS (SELECT task_id FROM task_summaries
                            WHERE finished AND NOT thinned AND changed < now() - $1::bigint * interval '1 second' LIMIT $2)
                        UPDATE task_summaries s SET thinned = true, summary = jsonb_set(s.summary::jsonb, '{lines}', (
                            SELECT coalesce(jsonb_agg(line - 'values'), '[]') FROM jsonb_array_elements(s.summary::jsonb -> 'lines') AS line))::json
                        FROM old WHERE s.task_id = old.task_id
                        """)
                .execute(Tuple.of(age.toSeconds(), most))
                .map(SqlResult::rowCount);
    }

    Future<List<Kept>> of(Collection<Long> tasks) {
        return database.pool()
                .preparedQuery("SELECT task_id, summary::text AS summary FROM task_summaries WHERE task_id = ANY ($1)")
                .execute(Tuple.of(tasks.toArray(Long[]::new)))
                .map(rows -> {
                    List<Kept> all = new ArrayList<>();
                    for (Row row : rows) {
                        all.add(Kept.of(row.getLong("task_id"), new JsonObject(row.getString("summary"))));
                    }
                    return all;
                });
    }
}
