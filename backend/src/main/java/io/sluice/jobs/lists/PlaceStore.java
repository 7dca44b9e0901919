package io.sluice.jobs.lists;

import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.database.Database;
import io.sluice.jobs.Json;
import io.sluice.jobs.life.Exit;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the jobs that hold machines; their index is as small as they are few. */
final class PlaceStore {
    private static final String ACTIVE = """
            SELECT j.id, j.user_name, j.name, j.attempt, t.id AS task, t.role, t.task_index, t.run_name, t.ports::text AS ports
            FROM jobs j LEFT JOIN tasks t ON t.job_id = j.id AND t.state = 'started'
            WHERE j.state IN ('claimed', 'creating', 'started', 'exited') AND ($1::text IS NULL OR j.name = $1)
            ORDER BY j.id, t.id
            """;

    private static final String COURSE = """
            SELECT CASE WHEN state = 'finalised' THEN 'OVER' WHEN stop OR halt = $2 THEN 'ENDING' ELSE 'GOING' END
            FROM jobs WHERE id = $1
            """;

    private final Database database;

    PlaceStore(Database database) {
        this.database = database;
    }

    Future<List<Places.Active>> active() {
        return active(null);
    }

    /** @param name of the jobs; null: any */
    Future<List<Places.Active>> active(@Nullable String name) {
        return database.pool().preparedQuery(ACTIVE).execute(Tuple.of(name)).map(rows -> {
            var jobs = new LinkedHashMap<Long, Places.Active>();
            var tasks = new HashMap<Long, List<Places.Task>>();
            for (Row row : rows) {
                long id = row.getLong("id");
                jobs.putIfAbsent(
                        id,
                        new Places.Active(
                                id,
                                row.getString("user_name"),
                                row.getString("name"),
                                row.getInteger("attempt"),
                                List.of()));
                if (row.getLong("task") != null) {
                    tasks.computeIfAbsent(id, job -> new ArrayList<>()).add(task(row));
                }
            }
            return jobs.values().stream()
                    .map(job -> new Places.Active(
                            job.job(), job.user(), job.name(), job.attempt(), tasks.getOrDefault(job.job(), List.of())))
                    .toList();
        });
    }

    private static Places.Task task(Row row) {
        return new Places.Task(
                row.getLong("task"),
                row.getString("role"),
                row.getInteger("task_index"),
                row.getString("run_name"),
                Json.read(row.getString("ports"), new TypeReference<Map<String, List<Integer>>>() {}));
    }

    Future<Map<Long, JobSpec>> specs(Collection<Long> jobs) {
        return database.pool()
                .preparedQuery(
                        "SELECT job_id, spec::text AS spec FROM job_specs WHERE job_id = ANY($1)"
                                + " AND (spec ->> 'plugins' <> '[]' OR spec -> 'extras' -> 'sluice' -> 'endpoints' IS NOT NULL)")
                .execute(Tuple.of(jobs.toArray(Long[]::new)))
                .map(rows -> {
                    Map<Long, JobSpec> specs = new HashMap<>();
                    rows.forEach(
                            row -> specs.put(row.getLong("job_id"), Json.read(row.getString("spec"), JobSpec.class)));
                    return specs;
                });
    }

    Future<Places.Course> course(long job) {
        return database.read(COURSE, Tuple.of(job, Exit.OUT_OF_TIME), row -> Places.Course.valueOf(row.getString(0)))
                .map(found -> found.isEmpty() ? Places.Course.GOING : found.getFirst());
    }

    Future<List<Long>> over(Collection<Long> jobs) {
        return database.read(
                "SELECT id FROM jobs WHERE id = ANY($1) AND state = 'finalised'",
                Tuple.of(jobs.toArray(Long[]::new)),
                row -> row.getLong(0));
    }
}
