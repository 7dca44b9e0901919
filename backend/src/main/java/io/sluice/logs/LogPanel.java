package io.sluice.logs;

import io.sluice.jobs.Job;
import io.sluice.logs.files.LogFile;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the panel of a log shows.
 *
 * @param path of the task attempt in the API; empty where there is no log yet
 * @param lines the last ones, without colours
 * @param begin where they begin in the log
 * @param missing bytes that are gone from it
 * @param doubtful whether there may have been more, that a full disk did not take
 * @param tasks of the job whose logs can be chosen instead, as the viewer takes them
 * @param total tasks that have begun, of which {@code tasks} has the first
 * @param gone when and why it was deleted, null: it was not
 */
public record LogPanel(
        String job,
        String path,
        String role,
        int index,
        long size,
        long begin,
        long missing,
        boolean doubtful,
        boolean ended,
        @Nullable Integer exitCode,
        @Nullable Long marked,
        String lines,
        String tasks,
        long total,
        LogFile.@Nullable Gone gone) {
    /** When it was deleted. */
    public Instant goneAt() {
        return Instant.ofEpochMilli(Objects.requireNonNull(gone).at());
    }

    static LogPanel without(Job job, String role, int index, LogFile.@Nullable Gone gone) {
        return new LogPanel(job.key(), "", role, index, 0, 0, 0, false, job.isFinal(), null, null, "", "[]", 0, gone);
    }
}
