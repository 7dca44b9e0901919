package io.sluice.endpoints;

import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.endpoints.Endpoint.Life;
import io.sluice.endpoints.Endpoint.Reason;
import io.sluice.endpoints.Endpoint.State;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Endpoints as they are kept. Every change says whether it was one, and rings. */
final class EndpointStore {
    static final String TOPIC = "endpoints";
    /** One prints something, and stays as it is: for those who read it, and nothing is to be done. */
    static final String LINES = "endpoints.lines";

    private static final String ADD = """
            INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, asked_port, options, wanted,
                shared, state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::json, true, $11, 'waiting')
            """;

    /** One that is on stays as it is. */
    private static final String ON = ADD + """
            ON CONFLICT ON CONSTRAINT endpoints_name DO UPDATE SET recipe = EXCLUDED.recipe, role = EXCLUDED.role,
                task_index = EXCLUDED.task_index, asked_port = EXCLUDED.asked_port, options = EXCLUDED.options, wanted = true,
                shared = EXCLUDED.shared, state = 'waiting', reason = '', lines = '', since = now(), task_id = NULL, run_name = NULL
            WHERE (NOT endpoints.wanted OR endpoints.state = 'failed') AND endpoints.state <> 'ended'
            """;

    /** What nobody asks for any more goes with it. */
    private static final String USE = """
            WITH old AS (DELETE FROM endpoint_uses WHERE used < now() - $2::bigint * interval '1 second' AND job_id <> ALL ($1))
            INSERT INTO endpoint_uses (job_id, used) SELECT id, now() FROM jobs WHERE id = ANY ($1)
            ON CONFLICT (job_id) DO UPDATE SET used = now()
            """;

    private final Database database;

    EndpointStore(Database database) {
        this.database = database;
    }

    Future<Void> use(Collection<Long> jobs, Duration kept) {
        return database.pool()
                .preparedQuery(USE)
                .execute(Tuple.of(jobs.toArray(Long[]::new), kept.toSeconds()))
                .mapEmpty();
    }

    Future<Map<Long, Instant>> uses(Collection<Long> jobs) {
        return database.read(
                        "SELECT job_id, used FROM endpoint_uses WHERE job_id = ANY ($1)",
                        Tuple.of(jobs.toArray(Long[]::new)),
                        row -> Map.entry(
                                row.getLong(0), row.getOffsetDateTime(1).toInstant()))
                .map(uses -> uses.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    Future<Boolean> on(Endpoint endpoint) {
        return did(ON, row(endpoint));
    }

    /** What a job was submitted with; whatever has been changed since stays. */
    Future<Boolean> addOnce(Endpoint endpoint) {
        return did(ADD + " ON CONFLICT ON CONSTRAINT endpoints_name DO NOTHING", row(endpoint));
    }

    private static Tuple row(Endpoint endpoint) {
        return Tuple.from(Arrays.asList(
                endpoint.id(),
                endpoint.job(),
                endpoint.user(),
                endpoint.jobName(),
                endpoint.name(),
                endpoint.recipe(),
                endpoint.role(),
                endpoint.index(),
                endpoint.asked(),
                new JsonObject(new HashMap<>(endpoint.options())).encode(),
                endpoint.shared().toArray(String[]::new)));
    }

    Future<Boolean> unwant(String id) {
        return did("UPDATE endpoints SET wanted = false WHERE id = $1 AND wanted AND state <> 'ended'", Tuple.of(id));
    }

    Future<Boolean> share(String id, List<String> names) {
        return did("UPDATE endpoints SET shared = $2 WHERE id = $1 AND shared <> $2", Tuple.of(id, (Object)
                names.toArray(String[]::new)));
    }

    /** One more. */
    Future<Boolean> share(String id, String name, int most) {
        return did(
                "UPDATE endpoints SET shared = (SELECT array_agg(n ORDER BY n) FROM unnest(shared || $2::text) n)"
                        + " WHERE id = $1 AND state <> 'ended' AND NOT $2 = ANY(shared) AND cardinality(shared) < $3",
                Tuple.of(id, name, most));
    }

    /** One less; null: nobody is left. */
    Future<Boolean> unshare(String id, @Nullable String name) {
        return did(
                "UPDATE endpoints SET shared = CASE WHEN $2::text IS NULL THEN '{}' ELSE array_remove(shared, $2) END"
                        + " WHERE id = $1 AND ($2 = ANY(shared) OR ($2::text IS NULL AND cardinality(shared) > 0))",
                Tuple.of(id, name));
    }

    /** What others have switched on and let this user go to, the newest first. */
    Future<List<Endpoint>> sharedWith(String name, int most) {
        return read(
                "SELECT * FROM endpoints WHERE state <> 'ended' AND cardinality(shared) > 0 AND wanted AND user_name <> $1"
                        + " AND EXISTS (SELECT FROM unnest(shared) n WHERE lower(n) = lower($1)) ORDER BY since DESC, id LIMIT $2",
                Tuple.of(name, most));
    }

    /** A port of these that no endpoint has, or that of the one that ended first. Whoever comes meanwhile waits, or would be given the same. */
    Future<Boolean> givePort(String id, int first, int last) {
        return database.transaction(connection -> connection
                .query("SELECT pg_advisory_xact_lock(7958347201937)")
                .execute()
                .compose(alone -> connection
                        .preparedQuery(
                                "SELECT p FROM generate_series($1::int, $2::int) p LEFT JOIN endpoints e ON e.road_port = p"
                                        + " WHERE (e.id IS NULL OR e.state = 'ended')"
                                        + " AND EXISTS (SELECT FROM endpoints WHERE id = $3 AND road_port IS NULL)"
                                        + " ORDER BY e.since NULLS FIRST, p LIMIT 1")
                        .execute(Tuple.of(first, last, id)))
                .compose(found -> found.size() == 0
                        ? Future.succeededFuture(false)
                        : give(connection, id, found.iterator().next().getInteger(0))));
    }

    private static Future<Boolean> give(SqlConnection connection, String id, int port) {
        return connection
                .preparedQuery("UPDATE endpoints SET road_port = NULL WHERE road_port = $1")
                .execute(Tuple.of(port))
                .compose(taken -> connection
                        .preparedQuery(
                                "WITH given AS (UPDATE endpoints SET road_port = $2 WHERE id = $1 RETURNING 1) SELECT "
                                        + Doorbell.ringing(TOPIC) + " FROM given")
                        .execute(Tuple.of(id, port)))
                .map(given -> given.rowCount() > 0);
    }

    /** All that have a port, also those that ended. */
    Future<List<Endpoint>> withPorts() {
        return read("SELECT * FROM endpoints WHERE road_port IS NOT NULL", Tuple.tuple());
    }

    /** Nothing runs of it any more. */
    Future<Boolean> off(String id) {
        return did(
                "UPDATE endpoints SET state = 'off', reason = '', lines = '', task_id = NULL, run_name = NULL, secret = NULL, since = now()"
                        + " WHERE id = $1 AND NOT wanted AND state <> 'ended'",
                Tuple.of(id));
    }

    Future<Boolean> waits(String id) {
        return did(
                "UPDATE endpoints SET state = 'waiting', reason = '', lines = '', task_id = NULL, run_name = NULL, secret = NULL,"
                        + " since = now() WHERE id = $1 AND wanted AND state NOT IN ('waiting', 'ended')",
                Tuple.of(id));
    }

    Future<Boolean> begin(String id, Life life) {
        return did(
                "UPDATE endpoints SET state = 'starting', reason = '', lines = '', task_id = $2, run_name = $3, host = $4,"
                        + " port = $5, secret = $6, since = now() WHERE id = $1 AND wanted AND task_id IS DISTINCT FROM $2",
                Tuple.of(id, life.task(), life.run(), life.host(), life.port(), life.secret()));
    }

    /** In the same life, or not at all. */
    Future<Boolean> became(Endpoint endpoint, State state, @Nullable Reason reason, String lines) {
        Life life = endpoint.life();
        return did(
                endpoint.state() == state && endpoint.reason() == reason ? LINES : TOPIC,
                "UPDATE endpoints SET state = $2, reason = $3, lines = $4, since = CASE WHEN state = $2 AND reason = $3 THEN since ELSE now() END"
                        + " WHERE id = $1 AND wanted AND state <> 'ended' AND task_id IS NOT DISTINCT FROM $5"
                        + " AND (state, reason, lines) IS DISTINCT FROM ($2, $3, $4)",
                Tuple.of(
                        endpoint.id(),
                        state.key(),
                        reason == null ? "" : reason.name(),
                        lines.replace("\0", ""),
                        life == null ? null : life.task()));
    }

    Future<Boolean> ended(Collection<Long> jobs) {
        return did(
                "UPDATE endpoints SET state = 'ended', secret = NULL, since = now() WHERE job_id = ANY($1) AND state <> 'ended'",
                Tuple.of(jobs.toArray(Long[]::new)));
    }

    Future<List<Endpoint>> live() {
        return read("SELECT * FROM endpoints WHERE state <> 'ended'", Tuple.tuple());
    }

    Future<List<Endpoint>> ofJob(long job) {
        return read("SELECT * FROM endpoints WHERE job_id = $1 ORDER BY name", Tuple.of(job));
    }

    Future<Optional<Endpoint>> find(String id) {
        return read("SELECT * FROM endpoints WHERE id = $1", Tuple.of(id))
                .map(found -> found.stream().findFirst());
    }

    private Future<List<Endpoint>> read(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).map(rows -> {
            List<Endpoint> endpoints = new ArrayList<>();
            rows.forEach(row -> endpoints.add(endpoint(row)));
            return endpoints;
        });
    }

    private Future<Boolean> did(String sql, Tuple values) {
        return did(TOPIC, sql, values);
    }

    private Future<Boolean> did(String topic, String sql, Tuple values) {
        return database.pool()
                .preparedQuery(
                        "WITH done AS (" + sql + " RETURNING 1) SELECT " + Doorbell.ringing(topic) + " FROM done")
                .execute(values)
                .map(rows -> rows.rowCount() > 0);
    }

    private static Endpoint endpoint(Row row) {
        Map<String, String> options = new HashMap<>();
        ((JsonObject) row.getJson("options")).forEach(option -> options.put(option.getKey(), "" + option.getValue()));
        Long task = row.getLong("task_id");
        String run = row.getString("run_name");
        String reason = row.getString("reason");
        Integer port = row.getInteger("port");
        return new Endpoint(
                row.getString("id"),
                row.getLong("job_id"),
                row.getString("user_name"),
                row.getString("job_name"),
                row.getString("name"),
                row.getString("recipe"),
                row.getString("role"),
                row.getInteger("task_index"),
                row.getString("asked_port"),
                options,
                row.getBoolean("wanted"),
                List.of(row.getArrayOfStrings("shared")),
                row.getInteger("road_port"),
                State.ofColumn(row.getString("state").toLowerCase(Locale.ROOT)),
                reason.isEmpty() ? null : Reason.valueOf(reason),
                row.getString("lines"),
                task == null || run == null || port == null
                        ? null
                        : new Life(task, run, row.getString("host"), port, row.getString("secret")),
                row.getOffsetDateTime("since")
                        .withOffsetSameInstant(ZoneOffset.UTC)
                        .toInstant());
    }
}
