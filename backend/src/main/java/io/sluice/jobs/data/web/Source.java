package io.sluice.jobs.data.web;

import io.sluice.files.tree.Place;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;

/** What lies somewhere in the web, as the files that a job finds of it. */
public interface Source extends AutoCloseable {
    /** How much there is. */
    record Amount(long files, long bytes) {}

    /** Lets a file come, from there on. */
    @FunctionalInterface
    interface Opening {
        InputStream from(long at) throws IOException;
    }

    /** Puts each where it belongs. */
    interface Taker {
        /** @param version tells it from any other, and from another version of itself */
        void file(Place place, String version, long size, Instant changed, Opening opening) throws IOException;

        /** It may be run. */
        void permit(Place place) throws IOException;

        void folder(Place place) throws IOException;

        /** @param leads in bytes, as characters from 0 to 255 */
        void link(Place place, String leads) throws IOException;
    }

    /** Whether what another attempt had of it goes first: it may be of another version. */
    default boolean isFresh() {
        return false;
    }

    /** Before any of it is handed on. */
    Amount count() throws IOException;

    void each(Taker taker) throws IOException;

    @Override
    void close() throws IOException;
}
