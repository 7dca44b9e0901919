package io.sluice.identity.grants;

import io.sluice.database.Database;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The door to grants. They are kept where OpenPAI's API has them: with the users, and in the extensions of groups. */
public final class Grants {
    /** The group that everybody is in. */
    public static final String EVERYBODY = "default";

    /** Who may submit to a virtual cluster by a grant; administrators may without. */
    public record Holders(List<String> users, List<String> groups) {
        public static final Holders NOBODY = new Holders(List.of(), List.of());

        public Holders {
            users = List.copyOf(users);
            groups = List.copyOf(groups);
        }
    }

    private final GrantStore store;

    /** @param topic of the doorbell, rung when grants are others */
    public Grants(Database database, String topic) {
        this.store = new GrantStore(database, topic);
    }

    /** The virtual clusters that are granted to somebody, by name or by group. */
    public Future<Set<String>> of(long user) {
        return store.of(user);
    }

    /** By virtual cluster; one that is granted to nobody is absent. */
    public Future<Map<String, Holders>> holders() {
        return store.holders();
    }

    /** Those of the names that nobody has, and no group. */
    public Future<Holders> unknown(Holders holders) {
        return store.unknown(lower(holders.users()), holders.groups());
    }

    /** From now on exactly these, whoever had it before. */
    public Future<Void> replace(String cluster, Holders holders) {
        return store.replace(cluster, lower(holders.users()), holders.groups());
    }

    /** Names that differ in case only are the same person. */
    private static List<String> lower(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }
}
