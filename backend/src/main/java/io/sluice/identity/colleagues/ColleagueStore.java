package io.sluice.identity.colleagues;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** Names of people by the groups that they share; the group that everybody is in says nothing. */
final class ColleagueStore {
    private static final int MOST = 300;
    private static final String OF = """
            SELECT u.name FROM users u WHERE u.deleted IS NULL AND NOT u.disabled AND u.id <> $1
                AND ($2 OR EXISTS (SELECT 1 FROM memberships mine JOIN memberships theirs USING (group_name)
                    WHERE mine.user_id = $1 AND theirs.user_id = u.id AND group_name <> 'default'))
            ORDER BY lower(u.name) LIMIT $3
            """;

    private final Database database;

    ColleagueStore(Database database) {
        this.database = database;
    }

    Future<List<String>> of(long user, boolean everybody) {
        return database.pool()
                .preparedQuery(OF)
                .execute(Tuple.of(user, everybody, MOST))
                .map(rows -> {
                    List<String> names = new ArrayList<>();
                    rows.forEach(row -> names.add(row.getString(0)));
                    return names;
                });
    }
}
