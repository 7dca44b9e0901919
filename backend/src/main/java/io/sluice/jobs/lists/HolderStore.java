package io.sluice.jobs.lists;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;

/** Who has a place on a machine. */
final class HolderStore {
    /** By the two small indexes, of tasks that are not over and of their jobs. */
    private static final String HOLDERS = """
            SELECT t.id, t.job_id, j.user_name, j.name, j.virtual_cluster, t.attempt, t.role, t.task_index, t.task_attempt, t.run_name, t.node,
                t.devices, t.cpus, t.memory_mb, t.launched
            FROM tasks t JOIN jobs j ON j.id = t.job_id WHERE t.state <> 'exited'
            """;

    private final Database database;

    HolderStore(Database database) {
        this.database = database;
    }

    Future<List<Holder>> holders() {
        return database.read(HOLDERS, Tuple.tuple(), HolderStore::holder);
    }

    private static Holder holder(Row row) {
        int at = 0;
        Holder holder = new Holder(
                row.getLong(at++),
                row.getLong(at++),
                row.getString(at++),
                row.getString(at++),
                row.getString(at++),
                row.getInteger(at++),
                row.getString(at++),
                row.getInteger(at++),
                row.getInteger(at++),
                row.getString(at++),
                row.getString(at++),
                List.of(row.getArrayOfStrings(at++)),
                row.getInteger(at++),
                row.getInteger(at++),
                null);
        OffsetDateTime launched = row.getOffsetDateTime(at);
        return launched == null ? holder : holder.since(launched.toInstant());
    }
}
