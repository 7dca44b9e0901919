package io.sluice.identity.colleagues;

import io.sluice.database.Database;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import java.util.List;

/** Whom somebody works with: whoever is in a group of theirs. Administrators are offered everybody. */
public final class Colleagues {
    private final ColleagueStore store;

    public Colleagues(Database database) {
        this.store = new ColleagueStore(database);
    }

    /** Their names, in order; of very many the first. */
    public Future<List<String>> of(Caller caller) {
        return store.of(caller.id(), caller.admin());
    }
}
