package io.sluice.endpoints;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An app, or a port, of a job that people may go to.
 *
 * @param id by which browsers know it; never another's
 * @param asked the port that is wanted, by number or by label; null: any
 * @param shared who may go there besides the owner and administrators
 * @param roadPort where browsers reach it, where endpoints have ports in place of names
 * @param lines the last that the program printed, where they explain something
 * @param life what it is at the moment; null: nothing
 */
public record Endpoint(
        String id,
        long job,
        String user,
        String jobName,
        String name,
        String recipe,
        String role,
        int index,
        @Nullable String asked,
        Map<String, String> options,
        boolean wanted,
        List<String> shared,
        @Nullable Integer roadPort,
        State state,
        @Nullable Reason reason,
        String lines,
        @Nullable Life life,
        Instant since) {

    public enum State {
        /** For its task to begin. */
        WAITING,
        STARTING,
        READY,
        FAILED,
        OFF,
        /** As its job has. */
        ENDED;

        static State ofColumn(String column) {
            return valueOf(column.toUpperCase(Locale.ROOT));
        }

        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why it is not ready. Its words on pages stand in the texts under {@code endpoint.reason.}. */
    public enum Reason {
        INSTALLING("The program is not there, so it is being installed."),
        MISSING("The program is not there, and could not be installed."),
        EXITED("The program ended with code {0}."),
        SILENT("Nothing in the task listens at port {0}."),
        UNWELL("Something listens at port {0}, but does not answer as it should."),
        NO_PORT("The task has no port {0}."),
        NO_RECIPE("There is no recipe {0} here (any more)."),
        ENGINE("The engine can not do it: {0}");

        final String sentence;

        Reason(String sentence) {
            this.sentence = sentence;
        }

        public String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** In one attempt of one task: after it there is another, or none. */
    public record Life(
            long task,
            String run,
            @Nullable String host,
            int port,
            @Nullable String secret) {

        @Override
        public String toString() {
            return "Life[task=" + task + ", port=" + port + "]";
        }
    }

    public Endpoint {
        options = Map.copyOf(options);
        shared = List.copyOf(shared);
    }

    public String jobKey() {
        return user + "~" + jobName;
    }

    public boolean isFor(String name, boolean admin) {
        return admin || name.equals(user) || shared.stream().anyMatch(name::equalsIgnoreCase);
    }

    /** What {@link Reason} puts into its sentence. */
    public String detail() {
        Life now = life;
        return switch (reason) {
            case EXITED, NO_PORT, NO_RECIPE, ENGINE -> lines.lines().findFirst().orElse("");
            case SILENT, UNWELL -> now == null ? "" : Integer.toString(now.port());
            case INSTALLING, MISSING -> "";
            case null -> "";
        };
    }

    /** For programs, in English; null: there is none. */
    public @Nullable String sentence() {
        return reason == null ? null : reason.sentence.replace("{0}", detail());
    }

    /** What the program printed, without what {@link #detail} says. */
    public String output() {
        boolean detailed = reason == Reason.EXITED
                || reason == Reason.NO_PORT
                || reason == Reason.NO_RECIPE
                || reason == Reason.ENGINE;
        int end = lines.indexOf('\n');
        return detailed ? (end < 0 ? "" : lines.substring(end + 1)) : lines;
    }
}
