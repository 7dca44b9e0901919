package io.sluice.jobs.exits;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a task's process ended, as its engine saw it.
 *
 * @param outOfMemory the engine knows that its memory limit killed it
 * @param tail the end of its output; of more than 16 KiB the last 16 are looked at
 */
public record Ending(@Nullable Integer exitCode, @Nullable Integer signal, boolean outOfMemory, byte[] tail) {
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Ending(Integer code, Integer by, boolean memory, byte[] bytes)
                && Objects.equals(exitCode, code)
                && Objects.equals(signal, by)
                && outOfMemory == memory
                && Arrays.equals(tail, bytes);
    }

    @Override
    public int hashCode() {
        return Objects.hash(exitCode, signal, outOfMemory, Arrays.hashCode(tail));
    }

    @Override
    public String toString() {
        return "Ending[exitCode=" + exitCode + ", signal=" + signal + ", outOfMemory=" + outOfMemory + "]";
    }
}
