package io.sluice.jobs.pages;

import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.exits.Cause;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.exits.ExitSpec;
import io.sluice.jobs.life.Exit;
import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended, for its reader: what happened, whose doing it was, the line that told, what to do, and what comes next.
 *
 * @param attempt that ended
 * @param spec what the catalogue knows of the code
 * @param reasonKey the text that says what happened, with {@code values}
 * @param said what the engine or the gateway said in its own words, null: nothing beyond the reason
 * @param limit so many failed tasks of the role end the job, null: another rule brought the end
 */
public record Ending(
        int attempt,
        Exit exit,
        ExitSpec spec,
        String reasonKey,
        List<String> values,
        List<String> solutions,
        @Nullable String said,
        @Nullable Integer limit,
        Next next) {

    public Ending {
        values = List.copyOf(values);
        solutions = List.copyOf(solutions);
    }

    /** What comes after it; its words stand in the texts under {@code job.next.}. */
    public enum Next {
        /** Another attempt has followed. */
        FOLLOWED,
        /** Another follows when it is due. */
        DUE,
        /** What still runs of it is being stopped. */
        WINDING,
        /** Somebody wanted it so. */
        WANTED,
        /** Trying again would end the same way. */
        SAME,
        /** It asks for no retries. */
        NONE,
        /** It has had all that it asks for. */
        USED_UP
    }

    /** Of the attempt that is shown; null: it has not ended, or has ended well. */
    static @Nullable Ending of(JobDetail detail, JobDetail.Attempt attempt) {
        Exit exit = attempt.exit();
        if (exit == null || exit.code() == 0) {
            return null;
        }
        var cause = Cause.kept(exit.code(), exit.rule(), exit.line());
        String message = exit.message();
        boolean news = message != null
                && !message.equals(cause.reason())
                && !Exit.isStop(exit.code())
                && exit.code() != Exit.NOT_SHARED;
        return new Ending(
                attempt.number(),
                exit,
                cause.spec(),
                cause.reasonKey(),
                cause.values(),
                cause.solutionKeys(),
                news ? message : null,
                limit(detail, exit),
                next(detail, attempt, exit));
    }

    private static @Nullable Integer limit(JobDetail detail, Exit exit) {
        return detail.spec().roles().stream()
                .filter(role -> role.name().equals(exit.role()) && role.minFailed() != null)
                .map(role -> role.minFailed())
                .findFirst()
                .orElse(null);
    }

    private static Next next(JobDetail detail, JobDetail.Attempt attempt, Exit exit) {
        Job job = detail.job();
        if (attempt.number() < job.attempt()) {
            return Next.FOLLOWED;
        }
        if (job.phase() == Job.Phase.ACCEPTED) {
            return Next.DUE;
        }
        if (!job.isFinal()) {
            return Next.WINDING;
        }
        if (Exit.isStop(exit.code()) || job.stop()) {
            return Next.WANTED;
        }
        if (ExitCatalogue.of(exit.code()).behavior() == ExitSpec.Behavior.PERMANENT) {
            return Next.SAME;
        }
        return detail.spec().retryCount() == 0 ? Next.NONE : Next.USED_UP;
    }

    public String reason(View view) {
        return view.t(reasonKey, values.toArray());
    }

    /** Whose doing it was; its words stand in the texts under {@code job.fault.}. */
    public String fault() {
        return spec.type().name();
    }

    public boolean isStop() {
        return Exit.isStop(exit.code());
    }
}
