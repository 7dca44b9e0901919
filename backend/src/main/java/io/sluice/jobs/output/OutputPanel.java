package io.sluice.jobs.output;

import io.sluice.files.centre.FilePage;
import io.sluice.jobs.Job;

/** @param own whether who looks is whose job it is */
public record OutputPanel(Job job, FilePage files, boolean own) {
    public int more() {
        return files.total() - files.rows().size();
    }

    /** What still runs writes there. */
    public boolean isRemovable() {
        return job.isFinal() && files.total() > 0;
    }
}
