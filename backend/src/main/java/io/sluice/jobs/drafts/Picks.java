package io.sluice.jobs.drafts;

import io.sluice.files.datasets.Dataset;
import io.sluice.jobs.images.Image;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the form of a new job offers of the catalogues. */
public final class Picks {
    static final int MOST = 50;

    private Picks() {}

    /** @param more whether there are others, to be searched for */
    public record Images(List<Image> images, String search, boolean more) {
        public Images {
            images = List.copyOf(images);
        }
    }

    /** @param more whether there are others, to be searched for */
    public record Datasets(List<Row> rows, String search, boolean more) {
        public Datasets {
            rows = List.copyOf(rows);
        }
    }

    /**
     * @param storage that the job has to ask for, null: none
     * @param missing it lies in a share that who looks has not
     */
    public record Row(Dataset dataset, @Nullable String storage, boolean missing) {}
}
