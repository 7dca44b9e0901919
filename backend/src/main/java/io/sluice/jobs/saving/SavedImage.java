package io.sluice.jobs.saving;

import io.sluice.engines.Engine.NotKept;
import io.sluice.engines.Engine.Saved;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task that was saved as an image, is being saved, or could not be.
 *
 * @param image as a job names it
 * @param owner the number of whose it is
 * @param name among those of its owner
 * @param job it was saved of, as user~name; empty: nobody knows any more
 * @param fault why there is no image, a key of the texts; null: there is, or will be
 */
public record SavedImage(
        String image,
        String owner,
        String name,
        State state,
        long bytes,
        Instant at,
        String job,
        @Nullable String fault) {
    /** What has become of it. */
    public enum State {
        SAVED,
        SAVING,
        FAILED
    }

    static SavedImage of(Saved saved) {
        int slash = saved.image().lastIndexOf('/');
        NotKept.Why fault = saved.fault();
        return new SavedImage(
                saved.image(),
                saved.image().substring(saved.image().lastIndexOf('-', slash) + 1, slash),
                saved.image().substring(slash + 1),
                saved.going() ? State.SAVING : fault == null ? State.SAVED : State.FAILED,
                saved.bytes(),
                saved.at(),
                saved.origin(),
                fault == null
                        ? null
                        : switch (fault) {
                            case FULL, GONE, IMPOSSIBLE -> fault.name().toLowerCase(Locale.ROOT);
                            case NAME, BUSY, TOO_MANY, USED, CUT -> "cut";
                        });
    }

    public boolean isThere() {
        return state == State.SAVED;
    }

    /** Whose it is. */
    public String user() {
        return job.isEmpty() ? "" : job.substring(0, job.indexOf('~'));
    }

    /** For programs. */
    Map<String, Object> shown() {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("image", image);
        shown.put("owner", Long.parseLong(owner));
        shown.put("name", name);
        shown.put("state", state.name());
        shown.put("bytes", isThere() ? bytes : null);
        shown.put("saved", at.toEpochMilli());
        shown.put("job", job.isEmpty() ? null : job);
        shown.put("fault", fault);
        return shown;
    }
}
