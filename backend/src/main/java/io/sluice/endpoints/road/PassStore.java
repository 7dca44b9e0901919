package io.sluice.endpoints.road;

import io.sluice.database.Database;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Tickets and passes, by their hashes. */
final class PassStore {
    private static final String ADD = """
            INSERT INTO endpoint_passes (hash, endpoint, ticket, user_id, user_name, admin, kind, credential, expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 second')
            """;

    /** A ticket that is read is gone. */
    private static final String TAKE =
            "DELETE FROM endpoint_passes WHERE hash = $1 AND ticket AND endpoint = $2 RETURNING *, expires > now() AS fresh";

    private static final String FIND =
            "SELECT *, true AS fresh FROM endpoint_passes WHERE hash = $1 AND NOT ticket AND endpoint = $2 AND expires > now()";

    private final Database database;

    PassStore(Database database) {
        this.database = database;
    }

    Future<Void> add(byte[] hash, String endpoint, boolean ticket, Caller caller, Duration life) {
        return database.pool()
                .preparedQuery(ADD)
                .execute(Tuple.of(
                        Buffer.buffer(hash),
                        endpoint,
                        ticket,
                        caller.id(),
                        caller.name(),
                        caller.admin(),
                        caller.kind().name(),
                        caller.credential(),
                        (int) life.toSeconds()))
                .mapEmpty();
    }

    Future<Optional<Caller>> take(byte[] hash, String endpoint) {
        return caller(TAKE, hash, endpoint);
    }

    Future<Optional<Caller>> find(byte[] hash, String endpoint) {
        return caller(FIND, hash, endpoint);
    }

    Future<Void> remove(byte[] hash) {
        return database.pool()
                .preparedQuery("DELETE FROM endpoint_passes WHERE hash = $1")
                .execute(Tuple.of(Buffer.buffer(hash)))
                .mapEmpty();
    }

    Future<Void> removeOld() {
        return database.pool()
                .query("DELETE FROM endpoint_passes WHERE expires < now()")
                .execute()
                .mapEmpty();
    }

    private Future<Optional<Caller>> caller(String sql, byte[] hash, String endpoint) {
        return database.pool()
                .preparedQuery(sql)
                .execute(Tuple.of(Buffer.buffer(hash), endpoint))
                .map(rows -> {
                    for (Row row : rows) {
                        if (Boolean.TRUE.equals(row.getBoolean("fresh"))) {
                            return Optional.of(new Caller(
                                    row.getLong("user_id"),
                                    row.getString("user_name"),
                                    row.getBoolean("admin"),
                                    Caller.Kind.valueOf(row.getString("kind")),
                                    row.getString("credential"),
                                    Set.of()));
                        }
                    }
                    return Optional.empty();
                });
    }
}
