package io.sluice.identity.keys;

import io.sluice.database.Database;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;

/** The door to SSH keys, by their fingerprints as {@code ssh-keygen -l} prints them. */
public final class Keys {
    /** Somebody who may sign in, and has put this key into their profile. */
    public record Holder(String fingerprint, long user, String name, boolean admin) {}

    private final KeyStore store;

    public Keys(Database database) {
        this.store = new KeyStore(database);
    }

    /** Whose these keys are at the moment. Nobody proves that a key is theirs when they add it: one may have several holders. */
    public Future<List<Holder>> holders(Collection<String> fingerprints) {
        return fingerprints.isEmpty() ? Future.succeededFuture(List.of()) : store.holders(fingerprints);
    }

    public Future<Boolean> hasAny(long user) {
        return store.hasAny(user);
    }

    /** Those of the names that belong to somebody who may sign in. */
    public Future<List<String>> enabled(Collection<String> names) {
        return names.isEmpty() ? Future.succeededFuture(List.of()) : store.enabled(names);
    }
}
