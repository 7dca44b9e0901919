package io.sluice.jobs.data;

import io.sluice.jobs.protocol.data.Data;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an input or output of an attempt.
 *
 * @param files that are where they are to be, with {@code bytes} in them
 * @param allFiles null: not counted yet
 * @param message why it failed, and what to do; null: nothing to tell
 */
public record Transfer(
        Way way,
        String name,
        String address,
        State state,
        long files,
        long bytes,
        @Nullable Long allFiles,
        @Nullable Long allBytes,
        @Nullable String message,
        @Nullable Instant changed) {
    Transfer in(State other) {
        return new Transfer(way, name, address, other, files, bytes, allFiles, allBytes, message, changed);
    }

    /** Of what is told in a job, and perhaps known. */
    static Transfer known(List<Transfer> known, Way way, Data.Named one) {
        return known.stream()
                .filter(other -> other.way() == way && other.name().equals(one.name()))
                .findFirst()
                .orElseGet(() -> {
                    State first = one.isMoved() ? State.WAITING : State.IN_PLACE;
                    return new Transfer(way, one.name(), one.address(), first, 0, 0, null, null, null, null);
                });
    }

    /** Where it goes. */
    public enum Way {
        INPUT,
        OUTPUT
    }

    /** How far it is. */
    public enum State {
        /** It lies where tasks see it: nothing is moved. */
        IN_PLACE,
        WAITING,
        MOVING,
        DONE,
        FAILED
    }
}
