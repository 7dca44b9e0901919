package io.sluice.jobs.pages;

import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a room above has to say about a job, on top of its page.
 *
 * @param pressing somebody should do something
 * @param what the sentence that says it
 * @param when something follows from it, null: nothing
 * @param act what can be done about it, null: nothing
 */
public record Remark(
        boolean pressing,
        Note what,
        @Nullable When when,
        @Nullable Act act) {
    /** A time in a sentence. */
    public record When(Note before, Instant at, Note after) {}

    /** A button, and where it leads; the page is seen again after it. */
    public record Act(Note label, String path) {}

    /** Where remarks come from. */
    @FunctionalInterface
    public interface Source {
        Source NONE = (job, attempt) -> Future.succeededFuture(Optional.empty());

        Future<Optional<Remark>> of(Named job, int attempt);
    }

    /** A job by its number and its key. */
    public record Named(long id, String key) {}
}
