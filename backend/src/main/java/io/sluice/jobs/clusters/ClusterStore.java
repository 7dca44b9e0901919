package io.sluice.jobs.clusters;

import com.fasterxml.jackson.core.type.TypeReference;
import io.sluice.database.Database;
import io.sluice.jobs.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Map;

/** Virtual clusters as rows. */
final class ClusterStore {
    private static final String VALUES = """
            INSERT INTO virtual_clusters (name, description, cpus, memory_mb, devices, idle)
            VALUES ($1, $2, $3, $4, $5::text::jsonb, $6::text::json)
            ON CONFLICT (name) DO\s""";

    private static final String CHANGE = "UPDATE SET description = excluded.description, cpus = excluded.cpus,"
            + " memory_mb = excluded.memory_mb, devices = excluded.devices, idle = excluded.idle";

    /** By the conditions of the two small indexes, however many jobs have finished. */
    private static final String REMOVE = """
            DELETE FROM virtual_clusters WHERE name = $1
                AND NOT EXISTS (SELECT FROM jobs WHERE virtual_cluster = $1 AND state IN ('accepted', 'queued'))
                AND NOT EXISTS (SELECT FROM jobs WHERE virtual_cluster = $1 AND state IN ('claimed', 'creating', 'started', 'exited'))
            """;

    private final Database database;

    ClusterStore(Database database) {
        this.database = database;
    }

    Future<List<Cluster>> all() {
        return database.read(
                "SELECT name, description, cpus, memory_mb, devices::text AS devices, stopped, idle::text AS idle FROM"
                        + " virtual_clusters"
                        + " ORDER BY name <> 'default', name",
                Tuple.tuple(),
                ClusterStore::cluster);
    }

    private static Cluster cluster(Row row) {
        String devices = row.getString("devices");
        return new Cluster(
                row.getString("name"),
                row.getString("description"),
                row.getInteger("cpus"),
                row.getInteger("memory_mb"),
                devices == null ? Map.of() : Json.read(devices, new TypeReference<Map<String, Integer>>() {}),
                row.getBoolean("stopped"),
                Json.readIfAny(row.getString("idle"), IdleRule.class));
    }

    /** False when there is one of its name. */
    Future<Boolean> add(Cluster cluster) {
        return did(VALUES + "NOTHING", row(cluster));
    }

    /** Makes it, or changes all of it but whether it is stopped. */
    Future<Void> put(Cluster cluster) {
        return did(VALUES + CHANGE, row(cluster)).mapEmpty();
    }

    private static Tuple row(Cluster cluster) {
        return Tuple.of(
                cluster.name(),
                cluster.description(),
                cluster.cpus(),
                cluster.memoryMB(),
                cluster.devices().isEmpty() ? null : Json.write(cluster.devices()),
                cluster.idle() == null ? null : Json.write(cluster.idle()));
    }

    /** False when there is no such one. */
    Future<Boolean> stop(String name, boolean stopped) {
        return did("UPDATE virtual_clusters SET stopped = $2 WHERE name = $1", Tuple.of(name, stopped));
    }

    /** False when jobs of it are not over, or there is no such one. */
    Future<Boolean> remove(String name) {
        return did(REMOVE, Tuple.of(name));
    }

    private Future<Boolean> did(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).map(rows -> rows.rowCount() > 0);
    }
}
