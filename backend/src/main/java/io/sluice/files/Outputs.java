package io.sluice.files;

import io.sluice.files.quota.Tally;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * What people's jobs leave behind: a folder for each, of the user's own, in one that only the gateway changes. A job can put nothing in the
 * place of another's, and what is mounted is what was made here.
 */
final class Outputs {
    private final Path all;
    /** What was taken away for good lies here until all in it has gone. */
    private final Path left;

    Outputs(Path data) {
        this.all = data.resolve("outputs");
        this.left = data.resolve("outputs-left");
    }

    /** By the user's number: who has their name after them finds none of it. */
    Path of(long user) throws IOException {
        Homes.closed(all);
        return Homes.readable(all.resolve(Long.toString(user)));
    }

    /** @param home whose owner gets it */
    Path of(Path home, long user, String job) throws IOException {
        return Homes.closed(of(user).resolve(job), home);
    }

    /** A job that has left nothing has no folder. */
    void tidy(long user, String job) throws IOException {
        try {
            Files.deleteIfExists(all.resolve(Long.toString(user)).resolve(job));
        } catch (DirectoryNotEmptyException used) {
            return; // that is what it is for
        }
    }

    /** At once for whoever looks. The answer is whether there was any. */
    boolean remove(long user, String job) throws IOException {
        return away(all.resolve(Long.toString(user)).resolve(job));
    }

    /** At once for whoever looks, whatever is in it. */
    boolean away(Path folder) throws IOException {
        Homes.closed(left);
        try {
            Files.move(folder, left.resolve(UUID.randomUUID().toString()), StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (NoSuchFileException none) {
            return false;
        }
    }

    /** Without making one where there is none. */
    Tally tally(long user) throws IOException {
        return Tally.of(all.resolve(Long.toString(user)));
    }

    Path left() throws IOException {
        return Homes.closed(left);
    }
}
