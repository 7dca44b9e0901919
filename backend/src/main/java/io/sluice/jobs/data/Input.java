package io.sluice.jobs.data;

import io.sluice.jobs.data.care.Crew;
import java.io.IOException;

/** Something that is fetched before a job's tasks begin. */
interface Input extends AutoCloseable {
    /** How much there is. */
    record Amount(long files, long bytes) {}

    /** Before anything is written: whether it is there, and fits. */
    Amount survey() throws IOException;

    /** Whether what is there of it goes first. */
    default boolean isFresh() {
        return false;
    }

    void fetch(Landing landing, Crew crew) throws IOException;

    @Override
    void close();
}
