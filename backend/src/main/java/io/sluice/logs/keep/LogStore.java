package io.sluice.logs.keep;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Which finished logs this gateway keeps. */
final class LogStore {
    /** @param stored what it takes of the disk */
    record Kept(long task, Path file, Instant completed, long stored) {}

    private final Database database;
    private final String gateway;

    LogStore(Database database, String gateway) {
        this.database = database;
        this.gateway = gateway;
    }

    /** A log that is known already stays as it is. */
    Future<Void> add(Kept log) {
        return write(
                "INSERT INTO kept_logs (gateway, task_id, file, completed, stored) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                Tuple.of(
                        gateway,
                        log.task(),
                        log.file().toString(),
                        log.completed().atOffset(ZoneOffset.UTC),
                        log.stored()));
    }

    Future<Void> packed(long task, long stored) {
        return write(
                "UPDATE kept_logs SET packed = true, stored = $3 WHERE gateway = $1 AND task_id = $2",
                Tuple.of(gateway, task, stored));
    }

    Future<Void> remove(long task) {
        return write("DELETE FROM kept_logs WHERE gateway = $1 AND task_id = $2", Tuple.of(gateway, task));
    }

    /** How far the intake came. */
    Future<Instant> newest() {
        return database.pool()
                .preparedQuery("SELECT coalesce(max(completed), 'epoch') FROM kept_logs WHERE gateway = $1")
                .execute(Tuple.of(gateway))
                .map(rows -> rows.iterator().next().getOffsetDateTime(0).toInstant());
    }

    Future<Long> stored() {
        return database.pool()
                .preparedQuery("SELECT coalesce(sum(stored), 0)::bigint FROM kept_logs WHERE gateway = $1")
                .execute(Tuple.of(gateway))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    Future<List<Kept>> oldest(int most) {
        return read(
                "SELECT * FROM kept_logs WHERE gateway = $1 ORDER BY completed, task_id LIMIT $2",
                Tuple.of(gateway, most));
    }

    Future<List<Kept>> toPack(Instant completedBefore, int most) {
        return read(
                "SELECT * FROM kept_logs WHERE gateway = $1 AND NOT packed AND completed < $2 ORDER BY completed LIMIT $3",
                Tuple.of(gateway, completedBefore.atOffset(ZoneOffset.UTC), most));
    }

    private Future<List<Kept>> read(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).map(rows -> {
            List<Kept> logs = new ArrayList<>();
            for (Row row : rows) {
                logs.add(new Kept(
                        row.getLong("task_id"),
                        Path.of(row.getString("file")),
                        row.getOffsetDateTime("completed").toInstant(),
                        row.getLong("stored")));
            }
            return logs;
        });
    }

    private Future<Void> write(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values).mapEmpty();
    }
}
