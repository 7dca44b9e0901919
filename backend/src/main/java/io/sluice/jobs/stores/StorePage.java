package io.sluice.jobs.stores;

import io.sluice.files.stores.StoreAddress;
import io.sluice.web.View.Note;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The stores that there are, and the key that who looks has left for each. */
public record StorePage(List<Row> rows, @Nullable Note note) {
    public StorePage {
        rows = List.copyOf(rows);
    }

    /** {@code key} null: none. */
    public record Row(StoreAddress store, StoreKeys.@Nullable Kept key) {}
}
