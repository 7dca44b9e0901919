package io.sluice.endpoints.road.passes;

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
            INSERT INTO endpoint_passes (hash, endpoint, ticket, user_id, user_name, admin, kind, credential, expires, portal)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 second', $10)
            """;

    /** How much longer it is good, by the clock of the database. */
    private static final String SECONDS = "extract(epoch FROM expires - now())::float8 AS seconds";

    /** A ticket that is read is gone. */
    private static final String TAKE =
            "DELETE FROM endpoint_passes WHERE hash = $1 AND ticket AND endpoint = $2 RETURNING *, " + SECONDS;

    private static final String FIND =
            "SELECT *, " + SECONDS + " FROM endpoint_passes WHERE hash = $1 AND NOT ticket AND endpoint = $2";

    private final Database database;

    PassStore(Database database) {
        this.database = database;
    }

    /**
     * Whom it lets in.
     *
     * @param portal where the browser came from, as it writes that
     */
    record Holder(Caller caller, String portal) {}

    /** One that is good, and for how long. */
    record Found(Holder holder, Duration left) {}

    Future<Void> add(byte[] hash, String endpoint, boolean ticket, Holder holder, Duration life) {
        Caller caller = holder.caller();
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
                        (int) life.toSeconds(),
                        holder.portal()))
                .mapEmpty();
    }

    Future<Optional<Found>> take(byte[] hash, String endpoint) {
        return found(TAKE, hash, endpoint);
    }

    Future<Optional<Found>> find(byte[] hash, String endpoint) {
        return found(FIND, hash, endpoint);
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

    private Future<Optional<Found>> found(String sql, byte[] hash, String endpoint) {
        return database.pool()
                .preparedQuery(sql)
                .execute(Tuple.of(Buffer.buffer(hash), endpoint))
                .map(rows -> {
                    for (Row row : rows) {
                        double seconds = row.getDouble("seconds");
                        if (seconds > 0) {
                            var holder = new Holder(caller(row), row.getString("portal"));
                            return Optional.of(new Found(holder, Duration.ofMillis((long) (seconds * 1_000))));
                        }
                    }
                    return Optional.empty();
                });
    }

    private static Caller caller(Row row) {
        return new Caller(
                row.getLong("user_id"),
                row.getString("user_name"),
                row.getBoolean("admin"),
                Caller.Kind.valueOf(row.getString("kind")),
                row.getString("credential"),
                Set.of());
    }
}
