package io.sluice.logs;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.life.Exit;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.Reader;
import io.sluice.logs.files.TimeIndex;
import io.sluice.logs.follow.Tails;
import io.sluice.web.Problem;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log of one task attempt, found for a caller who may read it.
 *
 * @param attempt of the job
 */
public record Log(Job job, int attempt, JobDetail.Task task, LogFile file) {
    /** Whether nothing more will be added. */
    public boolean isEnded() {
        return switch (task.phase()) {
            case ACCEPTED, QUEUED, CLAIMED, CREATING, STARTED -> false;
            case EXITED, FINALISED -> true;
        };
    }

    public @Nullable Integer exitCode() {
        Exit exit = task.exit();
        Integer original = exit == null ? null : exit.original();
        return exit == null || original != null ? original : (Integer) exit.code();
    }

    /** Opens it. What is open stays readable, so whoever holds this has the whole log, even where it is deleted the next moment. */
    Reader open() throws IOException {
        var reader = new Reader(file);
        try {
            checkPresent();
        } catch (IOException | Problem gone) {
            reader.close();
            throw gone;
        }
        return reader;
    }

    /** Asked after opening: that a log is deleted is written down before its bytes go. */
    void checkPresent() throws IOException {
        LogFile.Gone gone = file.gone().orElse(null);
        if (gone != null) {
            throw Problem.of(
                    Problem.Kind.GONE,
                    "This log was deleted on " + Instant.ofEpochMilli(gone.at()).truncatedTo(ChronoUnit.SECONDS)
                            + (gone.reason().equals("age") ? " because of its age" : " to make room for newer ones")
                            + ". It had " + gone.size() + " bytes.");
        }
    }

    TimeIndex times() throws IOException {
        Instant completed = task.completed();
        Instant launched = task.launched() == null ? task.created() : task.launched();
        return isEnded() && completed != null
                ? file.finishedTimes(launched.toEpochMilli(), completed.toEpochMilli())
                : file.times();
    }

    /** OpenPAI's path of the task attempt. */
    public String path() {
        return "/api/v2/jobs/" + job.key() + "/attempts/" + attempt + "/taskRoles/" + task.role() + "/taskIndex/"
                + task.index() + "/attempts/" + task.attempt();
    }

    String downloadName() {
        return job.name() + "-" + attempt + "-" + task.role() + "-" + task.index() + "-" + task.attempt() + ".log";
    }

    Tails.Followed followed() {
        return new Tails.Followed(task.id(), file, isEnded(), exitCode());
    }
}
