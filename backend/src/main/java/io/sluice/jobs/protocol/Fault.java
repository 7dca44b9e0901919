package io.sluice.jobs.protocol;

import java.util.List;

/**
 * One thing that is wrong in a job's text. Line and column count from 1; a path leads to the field, as {@code
 * taskRoles.worker.instances} or {@code prerequisites[0].uri}. The sentences are English; in the reader's language they
 * stand under {@code fault.protocol.<key>} and {@code fault.protocol.<key>.allowed}, both with the same values.
 */
public record Fault(
        int line, int column, String path, String key, List<String> values, String message, String allowed) {
    public Fault {
        values = List.copyOf(values);
    }

    /** For an error of the API. What OpenPAI's server says word for word (keys under {@code exact}) comes word for word, before its place. */
    public String sentence() {
        String place = "line " + line + ", column " + column;
        if (key.startsWith("exact.")) {
            return message + " (" + (path.isEmpty() ? "" : path + ", ") + place + ")";
        }
        String stop = message.matches("(?s).*[.?!]") ? "" : ".";
        String hint = allowed.isEmpty() ? "" : " " + allowed;
        return (path.isEmpty() ? "" : path + ": ") + message + stop + hint + " (" + place + ")";
    }
}
