package io.sluice.jobs.release;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;

/** Which devices were given back lately. */
final class ReleaseStore {
    /**
     * By the index {@code tasks_released}. Ages, because the database's clock is another than the tools'; and of the time when the end was
     * written, because {@code completed} is by the engine's clock: one that is behind would let a look before the end count as one after it.
     */
    private static final String LATELY = """
            SELECT t.node, d.device, (extract(epoch FROM now() - max(t.released)) * 1000)::bigint AS age
            FROM tasks t, unnest(t.devices) AS d(device)
            WHERE t.state = 'exited' AND t.devices <> '{}' AND t.released > now() - $1::bigint * interval '1 millisecond'
            GROUP BY t.node, d.device
            """;

    private final Database database;

    ReleaseStore(Database database) {
        this.database = database;
    }

    record Release(String node, String device, Duration age) {}

    Future<List<Release>> lately(Duration most) {
        return database.read(
                LATELY,
                Tuple.of(most.toMillis()),
                row -> new Release(
                        row.getString("node"),
                        row.getString("device"),
                        Duration.ofMillis(Math.max(0, row.getLong("age")))));
    }
}
