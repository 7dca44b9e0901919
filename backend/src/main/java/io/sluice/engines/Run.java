package io.sluice.engines;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What has become of a task.
 *
 * @param exitCode of one that ended, as a shell gives it: 128 + signal for one ended by a signal; null in any other state
 * @param signal that ended it, where the engine can tell
 * @param outOfMemory whether it ended because it, or one of its processes, asked for more memory than it may have
 * @param detail what else is known, in one line for the user
 */
public record Run(
        String name,
        Map<String, String> labels,
        State state,
        @Nullable Integer exitCode,
        @Nullable Integer signal,
        boolean outOfMemory,
        @Nullable Instant started,
        @Nullable Instant ended,
        @Nullable String detail) {

    /** Over: it runs no more, and will not again. */
    public boolean isOver() {
        return switch (state) {
            case CREATED, RUNNING, UNKNOWN -> false;
            case ENDED, LOST -> true;
        };
    }

    public enum State {
        /** It has its name, and has not begun; the same start again goes on with it. */
        CREATED,
        RUNNING,
        /** It may run: the engine can not see it at the moment. Nothing may be started in its place. */
        UNKNOWN,
        ENDED,
        /** It runs no more, and nobody saw how it ended; for instance the node was restarted. */
        LOST
    }
}
