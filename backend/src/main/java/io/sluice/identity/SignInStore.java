package io.sluice.identity;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Tries to sign in, set-up links and the signing key as rows. */
final class SignInStore {
    private static final String KEY = "signing-key";

    private final Database database;

    SignInStore(Database database) {
        this.database = database;
    }

    /** Counts a try, unless there were as many as allowed within the time; then it answers how long to wait. */
    Future<Optional<Duration>> take(String key, int most, Duration within) {
        String sql = """
                WITH taken AS (INSERT INTO sign_in_tries AS t VALUES ($1, ARRAY[clock_timestamp()])
                    ON CONFLICT (key) DO UPDATE SET times =
                        CASE WHEN cardinality(t.times) < $2 THEN t.times ELSE t.times[2:] END || clock_timestamp()
                    -- no try is of the future: the clock was set back
                    WHERE cardinality(t.times) < $2 OR t.times[1] < clock_timestamp() - make_interval(secs => $3)
                        OR t.times[1] > clock_timestamp() + interval '1 minute'
                    RETURNING key)
                SELECT EXISTS (SELECT FROM taken) AS taken, (SELECT extract(epoch FROM
                    t.times[1] + make_interval(secs => $3) - clock_timestamp())::float8
                    FROM sign_in_tries t WHERE t.key = $1) AS wait
                """;
        return rows(database.pool(), sql, Tuple.of(key, most, (double) within.toSeconds()))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    Double wait = row.getDouble("wait");
                    return row.getBoolean("taken")
                            ? Optional.empty()
                            : Optional.of(Duration.ofSeconds(Math.max(1, wait == null ? 1 : (long) Math.ceil(wait))));
                });
    }

    /** A try that succeeded was none. Those that failed before it stay counted: they may have been somebody else's. */
    Future<Void> giveBack(String account, String address) {
        return rows(
                        database.pool(),
                        "UPDATE sign_in_tries SET times = times[:cardinality(times) - 1] WHERE key IN ($1, $2)",
                        Tuple.of(account, address))
                .mapEmpty();
    }

    Future<Void> sweep(Duration within) {
        return rows(database.pool(), """
                        WITH links AS (DELETE FROM set_up_links WHERE expires < now())
                        DELETE FROM sign_in_tries WHERE key IN (SELECT key FROM sign_in_tries
                        WHERE cardinality(times) = 0 OR times[cardinality(times)] < now() - make_interval(secs => $1)
                        LIMIT 10000)""", Tuple.of((double) within.toSeconds())).mapEmpty();
    }

    Future<Boolean> isEmpty() {
        return rows(database.pool(), "SELECT EXISTS (SELECT FROM users)", Tuple.tuple())
                .map(rows -> !rows.iterator().next().getBoolean(0));
    }

    Future<Void> addLink(byte[] hash, Duration life) {
        return rows(
                        database.pool(),
                        "INSERT INTO set_up_links VALUES ($1, now() + make_interval(secs => $2))",
                        Tuple.of(Buffer.buffer(hash), (double) life.toSeconds()))
                .mapEmpty();
    }

    Future<Boolean> isLink(byte[] hash) {
        return rows(database.pool(), """
                        SELECT EXISTS (SELECT FROM set_up_links WHERE hash = $1 AND expires > now())
                            AND NOT EXISTS (SELECT FROM users)""", Tuple.of(Buffer.buffer(hash)))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** Uses a link up and does the work, if there is nobody yet; of many at once, by whichever link, one. */
    <T> Future<Optional<T>> withLink(byte[] hash, Function<SqlClient, Future<T>> work) {
        return asFirst(client -> rows(
                        client,
                        "DELETE FROM set_up_links WHERE hash = $1 AND expires > now()",
                        Tuple.of(Buffer.buffer(hash)))
                .compose(used -> used.rowCount() == 1
                        ? work.apply(client).map(Optional::of)
                        : Future.succeededFuture(Optional.empty())));
    }

    /** Does the work if there is nobody yet, and nobody else does so meanwhile. */
    <T> Future<Optional<T>> asFirst(Function<SqlClient, Future<Optional<T>>> work) {
        return database.transaction(client -> rows(
                        client, "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE", Tuple.tuple())
                .compose(locked -> rows(client, "SELECT FROM users LIMIT 1", Tuple.tuple()))
                .compose(users -> users.size() == 0 ? work.apply(client) : Future.succeededFuture(Optional.empty())));
    }

    /** The signing key that gateways without a key file share: whichever is there first. */
    Future<byte[]> sharedKey(byte[] candidate) {
        return rows(
                        database.pool(),
                        "INSERT INTO identity_settings VALUES ($1, $2) ON CONFLICT DO NOTHING",
                        Tuple.of(KEY, Buffer.buffer(candidate)))
                .compose(kept ->
                        rows(database.pool(), "SELECT value FROM identity_settings WHERE name = $1", Tuple.of(KEY)))
                .map(rows -> rows.iterator().next().getBuffer(0).getBytes());
    }

    private static Future<RowSet<Row>> rows(SqlClient client, String sql, Tuple values) {
        return client.preparedQuery(sql).execute(values);
    }
}
