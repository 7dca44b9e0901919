package io.sluice.identity.grants;

import io.sluice.database.Database;
import io.sluice.database.Doorbell;
import io.sluice.identity.grants.Grants.Holders;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Grants, as users and groups hold them. */
final class GrantStore {
    private static final String OF_GROUP = "jsonb_path_query(extension, '$.acls.virtualClusters[*]')";

    private static final String HOLDERS = """
            SELECT cluster, true AS person, array_agg(name ORDER BY lower(name)) AS names
            FROM users, unnest(virtual_clusters) AS cluster WHERE deleted IS NULL GROUP BY cluster
            UNION ALL
            SELECT granted #>> '{}', false, array_agg(DISTINCT name ORDER BY name)
            FROM user_groups, %s AS granted WHERE jsonb_typeof(granted) = 'string' GROUP BY 1
            """.formatted(OF_GROUP);

    private static final String UNKNOWN = """
            SELECT name, true AS person FROM unnest($1::text[]) AS name
            WHERE name NOT IN (SELECT lower(u.name) FROM users u WHERE u.deleted IS NULL)
            UNION ALL
            SELECT name, false FROM unnest($2::text[]) AS name WHERE name NOT IN (SELECT g.name FROM user_groups g)
            """;

    private static final String USERS = """
            UPDATE users SET virtual_clusters = array_remove(virtual_clusters, $1)
                || CASE WHEN lower(name) = ANY($2) THEN ARRAY[$1::text] ELSE '{}' END
            WHERE deleted IS NULL AND (lower(name) = ANY($2)) <> ($1 = ANY(virtual_clusters))
            """;

    private static final String GROUPS = """
            UPDATE user_groups SET extension = jsonb_set(
                extension || jsonb_build_object('acls',
                    CASE WHEN jsonb_typeof(extension -> 'acls') = 'object' THEN extension -> 'acls' ELSE '{}' END),
                '{acls,virtualClusters}',
                (SELECT coalesce(jsonb_agg(every), '[]') FROM (
                    SELECT granted AS every FROM %1$s AS granted WHERE granted <> to_jsonb($1::text)
                    UNION SELECT to_jsonb($1::text) WHERE name = ANY($2)) all_of_it))
            WHERE (name = ANY($2)) <> EXISTS (SELECT FROM %1$s AS granted WHERE granted = to_jsonb($1::text))
            """.formatted(OF_GROUP);

    private final Database database;
    private final String ring;

    GrantStore(Database database, String topic) {
        this.database = database;
        this.ring = "SELECT " + Doorbell.ringing(topic);
    }

    Future<Set<String>> of(long user) {
        return rows(
                        "SELECT granted_clusters($1, coalesce((SELECT virtual_clusters FROM users WHERE id = $1), '{}'))",
                        Tuple.of(user))
                .map(rows -> Set.of(rows.iterator().next().getArrayOfStrings(0)));
    }

    Future<Map<String, Holders>> holders() {
        return rows(HOLDERS, Tuple.tuple()).map(rows -> {
            Map<String, Holders> holders = new TreeMap<>();
            for (Row row : rows) {
                List<String> names = List.of(row.getArrayOfStrings("names"));
                Holders some = row.getBoolean("person") ? new Holders(names, List.of()) : new Holders(List.of(), names);
                holders.merge(row.getString("cluster"), some, (one, other) -> new Holders(one.users(), other.groups()));
            }
            return holders;
        });
    }

    Future<Holders> unknown(List<String> users, List<String> groups) {
        return rows(UNKNOWN, names(Tuple.tuple(), users).addArrayOfString(groups.toArray(String[]::new)))
                .map(rows -> {
                    Map<Boolean, List<String>> names = new HashMap<>(Map.of(true, List.of(), false, List.of()));
                    rows.forEach(row ->
                            names.merge(row.getBoolean("person"), List.of(row.getString("name")), GrantStore::joined));
                    return new Holders(names.getOrDefault(true, List.of()), names.getOrDefault(false, List.of()));
                });
    }

    private static List<String> joined(List<String> one, List<String> other) {
        var all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    Future<Void> replace(String cluster, List<String> users, List<String> groups) {
        return database.transaction(client -> client.preparedQuery(USERS)
                .execute(names(Tuple.of(cluster), users))
                .compose(done -> client.preparedQuery(GROUPS).execute(names(Tuple.of(cluster), groups)))
                .compose(done -> client.query(ring).execute())
                .mapEmpty());
    }

    private static Tuple names(Tuple values, List<String> names) {
        return values.addArrayOfString(names.toArray(String[]::new));
    }

    private Future<RowSet<Row>> rows(String sql, Tuple values) {
        return database.pool().preparedQuery(sql).execute(values);
    }
}
