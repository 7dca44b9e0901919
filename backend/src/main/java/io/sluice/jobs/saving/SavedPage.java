package io.sluice.jobs.saving;

import io.sluice.web.Caller;
import io.sluice.web.View.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The page of what was saved of tasks.
 *
 * @param possible whether this engine saves tasks at all
 */
public record SavedPage(
        List<SavedImage> images,
        boolean possible,
        Caller caller,
        @Nullable Note note) {
    public SavedPage {
        images = List.copyOf(images);
    }

    /** Of which there are, and how they stand. */
    public String cursor() {
        return Integer.toHexString(
                images.stream().map(SavedImage::shown).toList().toString().hashCode());
    }
}
