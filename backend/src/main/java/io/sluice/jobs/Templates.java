package io.sluice.jobs;

import io.sluice.database.Database;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;

/** Jobs that are kept to be submitted again: one's own, and what others share. */
public final class Templates {
    private static final int LONGEST_NAME = 100;

    /** A text to begin with, without secrets: those are never kept in it. */
    public record Template(long id, String user, String name, String description, boolean shared, String config) {}

    private final TemplateStore store;

    Templates(Database database) {
        this.store = new TemplateStore(database);
    }

    /** One's own first, then what others share. */
    public Future<List<Template>> seenBy(Caller caller) {
        return store.seenBy(caller.id());
    }

    /** Keeps a text that would be accepted as a job; under a name that the user has already, it replaces what was there. */
    public Future<Template> save(Caller caller, String name, String description, boolean shared, String text) {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            return Future.failedFuture(
                    Problem.invalid("A template has a name of 1 to " + LONGEST_NAME + " characters."));
        }
        return switch (Protocols.read(text)) {
            case Read.Refused refused ->
                Future.failedFuture(Problem.of(Problem.Kind.INVALID, refused.code(), refused.message()));
            case Read.Accepted accepted ->
                store.save(caller.id(), caller.name(), name.strip(), description, shared, accepted.config());
        };
    }

    /** Whether it was there, and one's own. */
    public Future<Boolean> remove(Caller caller, Template template) {
        return store.remove(caller.id(), template.id());
    }
}
