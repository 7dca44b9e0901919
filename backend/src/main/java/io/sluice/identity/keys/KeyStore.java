package io.sluice.identity.keys;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;

/** Keys as rows, with those whose they are. */
final class KeyStore {
    private static final String HOLDERS = """
        SELECT k.fingerprint, u.id, u.name, u.admin FROM ssh_keys k JOIN users u ON u.id = k.user_id
        WHERE k.fingerprint = ANY($1) AND u.deleted IS NULL AND NOT u.disabled ORDER BY k.id
        """;

    private final Database database;

    KeyStore(Database database) {
        this.database = database;
    }

    Future<List<Keys.Holder>> holders(Collection<String> fingerprints) {
        return database.read(
                HOLDERS,
                Tuple.of(fingerprints.toArray(String[]::new)),
                row -> new Keys.Holder(
                        row.getString("fingerprint"),
                        row.getLong("id"),
                        row.getString("name"),
                        row.getBoolean("admin")));
    }

    Future<Boolean> hasAny(long user) {
        return database.read("SELECT 1 FROM ssh_keys WHERE user_id = $1 LIMIT 1", Tuple.of(user), row -> true)
                .map(found -> !found.isEmpty());
    }

    Future<List<String>> enabled(Collection<String> names) {
        return database.read(
                "SELECT name FROM users WHERE name = ANY($1) AND deleted IS NULL AND NOT disabled",
                Tuple.of(names.toArray(String[]::new)),
                row -> row.getString("name"));
    }
}
