package io.sluice.jobs.drafts;

import io.sluice.database.Database;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Jobs that are kept to be submitted again: one's own, and what others share. What a caller may not see does not exist. */
public final class Templates {
    public static final int LONGEST_NAME = 100;
    public static final int LONGEST_DESCRIPTION = 1000;
    public static final int LONGEST_TEXT = 64 * 1024;
    private static final int MOST = 200;

    /** A text to begin with, without secrets: those are never kept in it. */
    public record Template(
            long id, long userId, String user, String name, String description, boolean shared, String config) {
        /** Its author, or an administrator. */
        public boolean isChangedBy(Caller caller) {
            return userId == caller.id() || caller.admin();
        }
    }

    /** What is to be kept. */
    public record Content(String name, String description, boolean shared, String text) {}

    private final TemplateStore store;

    public Templates(Database database) {
        this.store = new TemplateStore(database);
    }

    /** One's own first, then what others share; without their texts. */
    public Future<List<Template>> seenBy(Caller caller) {
        return store.seenBy(caller.id());
    }

    public Future<Template> find(Caller caller, long id) {
        return store.find(caller.id(), id).map(found -> found.orElseThrow(() -> none(Long.toString(id))));
    }

    public static Problem none(String id) {
        return Problem.of(Problem.Kind.NOT_FOUND, "NoTemplateError", "Template " + id + " is not found.");
    }

    /** Keeps a text that would be accepted as a job. */
    public Future<Template> add(Caller caller, Content content) {
        String config = config(content);
        return store.count(caller.id()).compose(count -> {
            if (count >= MOST) {
                throw Problem.of(
                        Problem.Kind.CONFLICT,
                        "TooManyTemplatesError",
                        "You have " + MOST + " templates, which is the limit. Delete one that you no longer use.");
            }
            return store.add(caller.id(), caller.name(), content, config).recover(e -> taken(e, content.name()));
        });
    }

    /** Only its author and administrators may. */
    public Future<Template> change(Caller caller, long id, Content content) {
        String config = config(content);
        return changeable(caller, id)
                .compose(old -> store.change(old.id(), content, config).recover(e -> taken(e, content.name())))
                .map(Templates::stillThere);
    }

    /** Only its author and administrators may. */
    public Future<Template> remove(Caller caller, long id) {
        return changeable(caller, id).compose(old -> store.remove(old.id()).map(old));
    }

    private Future<Template> changeable(Caller caller, long id) {
        return find(caller, id).map(found -> {
            if (!found.isChangedBy(caller)) {
                throw Problem.of(
                        Problem.Kind.FORBIDDEN,
                        "Only " + found.user()
                                + " and administrators may change this template. Save it as one of your own.");
            }
            return found;
        });
    }

    private static Template stillThere(Optional<Template> changed) {
        return changed.orElseThrow(() -> Problem.of(
                Problem.Kind.NOT_FOUND, "NoTemplateError", "The template has been deleted in the meantime."));
    }

    private static <T> Future<T> taken(Throwable failure, String name) {
        return Future.failedFuture(
                Database.isConflict(failure, "job_templates_name")
                        ? Problem.of(
                                Problem.Kind.CONFLICT,
                                "ConflictTemplateError",
                                "There is a template called " + name
                                        + " already. Choose another name, or change that one.")
                        : failure);
    }

    private static String config(Content content) {
        if (content.name().isBlank() || content.name().length() > LONGEST_NAME) {
            throw Problem.invalid("A template has a name of 1 to " + LONGEST_NAME + " characters.");
        }
        if (content.description().length() > LONGEST_DESCRIPTION) {
            throw Problem.invalid("A description has at most " + LONGEST_DESCRIPTION + " characters.");
        }
        if (content.text().length() > LONGEST_TEXT) {
            throw Problem.of(
                    Problem.Kind.TOO_LARGE,
                    "A template has at most 64 KiB of text. Keep what is large in a file that the job reads.");
        }
        return switch (Protocols.unmasked(content.text())) {
            case Read.Refused refused -> throw Problem.of(Problem.Kind.INVALID, refused.code(), refused.message());
            case Read.Accepted accepted -> accepted.config();
        };
    }
}
