package io.sluice.identity.numbers;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Optional;

/** The numbers that are given. */
final class NumberStore {
    private static final String FIND = "SELECT number FROM user_numbers WHERE user_id = $1";

    /** One at a time, so that two gateways do not give the same. */
    private static final String LOCK = "LOCK TABLE user_numbers IN SHARE ROW EXCLUSIVE MODE";

    private static final String GIVE = """
            INSERT INTO user_numbers (user_id, number)
            SELECT $1, number FROM (
                SELECT coalesce(max(number) + 1, $2) AS number FROM user_numbers WHERE number BETWEEN $2 AND $3) next
            WHERE number <= $3
            ON CONFLICT (user_id) DO NOTHING
            """;

    private final Database database;

    NumberStore(Database database) {
        this.database = database;
    }

    Future<Optional<Integer>> find(long user) {
        return database.pool().preparedQuery(FIND).execute(Tuple.of(user)).map(NumberStore::first);
    }

    /** The one it has by then; empty when none is left. */
    Future<Optional<Integer>> give(long user, Numbers.Range range) {
        return database.transaction(client -> client.query(LOCK)
                .execute()
                .compose(locked -> client.preparedQuery(GIVE).execute(Tuple.of(user, range.first(), range.last())))
                .compose(given -> client.preparedQuery(FIND).execute(Tuple.of(user)))
                .map(NumberStore::first));
    }

    Future<Boolean> isGiven(int number) {
        return database.pool()
                .preparedQuery("SELECT number FROM user_numbers WHERE number = $1")
                .execute(Tuple.of(number))
                .map(rows -> rows.size() > 0);
    }

    private static Optional<Integer> first(RowSet<Row> rows) {
        return rows.size() == 0
                ? Optional.empty()
                : Optional.of(rows.iterator().next().getInteger(0));
    }
}
