package io.sluice.jobs.life;

import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.database.Database;
import io.sluice.jobs.Job;
import io.sluice.jobs.Json;
import io.sluice.jobs.placement.Demand;
import io.sluice.jobs.placement.Snapshot;
import io.sluice.jobs.placement.Waiting;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the scheduler reads: the queue as it changes, what holds machines, and the virtual clusters. */
final class QueueStore {
    private static final String ENTRY =
            "id, user_name, virtual_cluster, priority, submitted, queued, preemptible, coalesce(rest, demand)::text AS demand, rest IS NOT NULL AS partly,"
                    + " max_run_ms, waiting::text AS waiting, state, stop OR halt IS NOT NULL AS leaving";

    /** The cursor is of before the read: what was not committed then has a number that is not below it. */
    private static final String CHANGED = """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS cursor, found.*
            FROM (SELECT) one LEFT JOIN (SELECT %s FROM jobs WHERE %s) found ON true
            """;

    private static final String HELD = """
            SELECT j.id, j.user_name, j.virtual_cluster, j.priority, j.preemptible, a.created, j.max_run_ms - j.ran_ms AS left_ms,
                j.stop OR j.halt IS NOT NULL OR j.state = 'exited' AS leaving, t.node, t.cpus, t.memory_mb, t.devices
            FROM jobs j
            JOIN job_attempts a ON a.job_id = j.id AND a.attempt = j.attempt
            JOIN tasks t ON t.job_id = j.id AND t.state <> 'exited'
            WHERE j.state IN ('claimed', 'creating', 'started', 'exited')
            ORDER BY j.id
            """;

    private final Database database;

    QueueStore(Database database) {
        this.database = database;
    }

    /** Without a demand it is not in the queue (any more); {@code active} jobs hold machines, {@code leaving} ones are to end. */
    record Entry(long id, @Nullable Demand demand, @Nullable Waiting waiting, boolean active, boolean leaving) {}

    record Changes(String cursor, List<Entry> entries) {}

    /** The whole queue and all that holds machines, or what changed since a cursor. */
    Future<Changes> changes(@Nullable String cursor) {
        var query = cursor == null
                ? database.pool()
                        .preparedQuery(CHANGED.formatted(
                                ENTRY, "state IN ('queued', 'claimed', 'creating', 'started', 'exited')"))
                        .execute()
                : database.pool()
                        .preparedQuery(CHANGED.formatted(ENTRY, "changed >= $1::text::xid8"))
                        .execute(Tuple.of(cursor));
        return query.map(rows -> {
            List<Entry> entries = new ArrayList<>();
            String next = "";
            for (Row row : rows) {
                next = row.getString("cursor");
                if (row.getLong("id") != null) {
                    entries.add(entry(row));
                }
            }
            return new Changes(next, entries);
        });
    }

    private static Entry entry(Row row) {
        var phase = Job.Phase.ofColumn(row.getString("state"));
        boolean active = switch (phase) {
            case CLAIMED, CREATING, STARTED, EXITED -> true;
            case ACCEPTED, QUEUED, FINALISED -> false;
        };
        return new Entry(
                row.getLong("id"),
                phase == Job.Phase.QUEUED || (active && isLacking(row)) ? demand(row) : null,
                Json.readIfAny(row.getString("waiting"), Waiting.class),
                active,
                row.getBoolean("leaving"));
    }

    /** Some of its tasks have no place yet, and may still get one. */
    private static boolean isLacking(Row row) {
        return row.getBoolean("partly") && !row.getBoolean("leaving");
    }

    private static Demand demand(Row row) {
        var roles = Json.read(row.getString("demand"), new TypeReference<List<Demand.Role>>() {});
        Long most = row.getLong("max_run_ms");
        return new Demand(
                row.getLong("id").toString(),
                row.getString("user_name"),
                row.getString("virtual_cluster"),
                row.getInteger("priority"),
                row.getOffsetDateTime("submitted").toInstant(),
                row.getOffsetDateTime("queued").toInstant(),
                most == null ? null : Duration.ofMillis(most),
                row.getBoolean("preemptible"),
                roles.stream().noneMatch(Demand.Role::alone),
                roles);
    }

    Future<List<Snapshot.Running>> running(Instant now) {
        return database.pool().preparedQuery(HELD).execute().map(rows -> {
            Map<Long, List<Snapshot.Held>> held = new LinkedHashMap<>();
            Map<Long, Row> heads = new HashMap<>();
            for (Row row : rows) {
                long id = row.getLong("id");
                heads.putIfAbsent(id, row);
                held.computeIfAbsent(id, first -> new ArrayList<>())
                        .add(new Snapshot.Held(
                                row.getString("node"),
                                row.getInteger("cpus"),
                                row.getInteger("memory_mb"),
                                LifeStore.texts(row, "devices")));
            }
            return held.entrySet().stream()
                    .map(job -> running(Objects.requireNonNull(heads.get(job.getKey())), job.getValue(), now))
                    .toList();
        });
    }

    private static Snapshot.Running running(Row row, List<Snapshot.Held> tasks, Instant now) {
        Long left = row.getLong("left_ms");
        return new Snapshot.Running(
                row.getLong("id").toString(),
                row.getString("user_name"),
                row.getString("virtual_cluster"),
                row.getInteger("priority"),
                row.getOffsetDateTime("created").toInstant(),
                left == null ? null : now.plusMillis(Math.max(0, left)),
                row.getBoolean("preemptible"),
                row.getBoolean("leaving"),
                tasks);
    }

    /** Jobs that hold machines. */
    Future<List<Long>> active() {
        return ids("true");
    }

    /** Of the jobs that run, those that may not run for ever. */
    Future<List<Long>> limited() {
        return ids("state = 'started' AND max_run_ms IS NOT NULL");
    }

    private Future<List<Long>> ids(String condition) {
        return database.read(
                "SELECT id FROM jobs WHERE state IN ('claimed', 'creating', 'started', 'exited') AND " + condition,
                Tuple.tuple(),
                row -> row.getLong(0));
    }

    /** Ports that are given out, by node. */
    Future<Map<String, Set<Integer>>> ports() {
        return database.pool()
                .preparedQuery("SELECT node, item FROM allocations WHERE kind = 'port'")
                .execute()
                .map(rows -> {
                    Map<String, Set<Integer>> ports = new HashMap<>();
                    rows.forEach(row -> ports.computeIfAbsent(row.getString("node"), node -> new HashSet<>())
                            .add(Integer.valueOf(row.getString("item"))));
                    return ports;
                });
    }

    Future<List<Cluster>> clusters() {
        return database.read(
                "SELECT name, description, cpus, memory_mb, devices::text AS devices, stopped FROM virtual_clusters"
                        + " ORDER BY name",
                Tuple.tuple(),
                row -> new Cluster(row.getString("description"), cluster(row)));
    }

    record Cluster(String description, Snapshot.Cluster quota) {}

    private static Snapshot.Cluster cluster(Row row) {
        String devices = row.getString("devices");
        return new Snapshot.Cluster(
                row.getString("name"),
                row.getInteger("cpus"),
                row.getInteger("memory_mb"),
                devices == null ? null : Json.read(devices, new TypeReference<Map<String, Integer>>() {}),
                row.getBoolean("stopped"));
    }

    /** A warning among the events of a job that waits. */
    Future<Void> note(long job, String reason, String message) {
        return database.pool()
                .preparedQuery(
                        "INSERT INTO job_events (job_id, attempt, warning, reason, message)"
                                + " SELECT id, attempt, true, $2, $3 FROM jobs WHERE id = $1 AND (state = 'queued' OR rest IS NOT NULL)")
                .execute(Tuple.of(job, reason, message))
                .mapEmpty();
    }

    /** Stores why these jobs wait; one that waits no more is left alone. */
    Future<Void> wait(List<Waiting> reasons) {
        Long[] ids = reasons.stream().map(reason -> Long.valueOf(reason.job())).toArray(Long[]::new);
        String[] texts = reasons.stream().map(Json::write).toArray(String[]::new);
        return database.pool()
                .preparedQuery("""
                        UPDATE jobs SET waiting = reason.text::jsonb, changed = pg_current_xact_id()
                        FROM unnest($1::bigint[], $2::text[]) AS reason(id, text)
                        WHERE jobs.id = reason.id AND (state = 'queued' OR rest IS NOT NULL)
                        """)
                .execute(Tuple.tuple().addValue(ids).addValue(texts))
                .mapEmpty();
    }
}
