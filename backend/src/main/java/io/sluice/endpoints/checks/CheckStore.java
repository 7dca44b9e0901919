package io.sluice.endpoints.checks;

import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The last check of each endpoint. Every step of it rings, for whichever gateway the page is open at. */
final class CheckStore {
    /** One at a time: who asks while one is under way is told of that one. */
    private static final String BEGIN = """
            INSERT INTO endpoint_checks (endpoint, number, steps) VALUES ($1, $2, '[]')
            ON CONFLICT (endpoint) DO UPDATE SET number = EXCLUDED.number, began = now(), finished = false, steps = '[]'
                WHERE endpoint_checks.finished OR endpoint_checks.began < now() - $3 * interval '1 second'
            """;

    private final Database database;
    private final String topic;

    CheckStore(Database database, String topic) {
        this.database = database;
        this.topic = topic;
    }

    Future<Boolean> begin(String endpoint, long number) {
        return did(BEGIN, Tuple.of(endpoint, number, (int) Check.LONGEST.toSeconds()));
    }

    Future<Boolean> went(String endpoint, long number, List<Check.Step> steps, boolean finished) {
        return did(
                "UPDATE endpoint_checks SET steps = $3::text::json, finished = $4 WHERE endpoint = $1 AND number = $2",
                Tuple.of(endpoint, number, Check.written(steps), finished));
    }

    Future<Optional<Check>> find(String endpoint) {
        return database.pool()
                .preparedQuery("SELECT endpoint, began, finished, steps::text AS steps FROM endpoint_checks"
                        + " WHERE endpoint = $1")
                .execute(Tuple.of(endpoint))
                .map(rows -> rows.stream().findFirst().map(CheckStore::check));
    }

    Future<Map<String, Check>> ofJob(long job) {
        return database.pool()
                .preparedQuery("SELECT c.endpoint, c.began, c.finished, c.steps::text AS steps FROM endpoint_checks c"
                        + " JOIN endpoints e ON e.id = c.endpoint WHERE e.job_id = $1")
                .execute(Tuple.of(job))
                .map(rows -> {
                    Map<String, Check> checks = new HashMap<>();
                    rows.forEach(row -> checks.put(row.getString("endpoint"), check(row)));
                    return checks;
                });
    }

    private static Check check(Row row) {
        return Check.read(
                row.getOffsetDateTime("began").toInstant(), row.getBoolean("finished"), row.getString("steps"));
    }

    private Future<Boolean> did(String sql, Tuple values) {
        return database.pool()
                .preparedQuery(
                        "WITH done AS (" + sql + " RETURNING 1) SELECT " + Doorbell.ringing(topic) + " FROM done")
                .execute(values)
                .map(rows -> rows.rowCount() > 0);
    }
}
