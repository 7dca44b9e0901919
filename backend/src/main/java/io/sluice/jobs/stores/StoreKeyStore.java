package io.sluice.jobs.stores;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;

/** Access keys, their secrets sealed. */
final class StoreKeyStore {
    private static final String PUT = """
            INSERT INTO store_keys (user_id, store, access_key, sealed) VALUES ($1, $2, $3, $4)
            ON CONFLICT (user_id, store) DO UPDATE SET access_key = $3, sealed = $4, changed = now()
            """;

    private final Database database;

    StoreKeyStore(Database database) {
        this.database = database;
    }

    record Sealed(String id, Buffer secret) {}

    Future<List<StoreKeys.Kept>> of(long user) {
        return database.read(
                "SELECT store, access_key, changed FROM store_keys WHERE user_id = $1",
                Tuple.of(user),
                row -> new StoreKeys.Kept(
                        row.getString(0),
                        row.getString(1),
                        row.getOffsetDateTime(2).toInstant()));
    }

    Future<Optional<Sealed>> sealed(long user, String store) {
        return database.read(
                        "SELECT access_key, sealed FROM store_keys WHERE user_id = $1 AND store = $2",
                        Tuple.of(user, store),
                        row -> new Sealed(row.getString(0), row.getBuffer(1)))
                .map(rows -> rows.stream().findFirst());
    }

    Future<Void> put(long user, String store, String id, Buffer sealed) {
        return database.pool()
                .preparedQuery(PUT)
                .execute(Tuple.of(user, store, id, sealed))
                .mapEmpty();
    }

    Future<Boolean> remove(long user, String store) {
        return database.pool()
                .preparedQuery("DELETE FROM store_keys WHERE user_id = $1 AND store = $2")
                .execute(Tuple.of(user, store))
                .map(rows -> rows.rowCount() > 0);
    }
}
