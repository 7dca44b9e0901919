package io.sluice.jobs.data.care;

import io.sluice.jobs.Folders;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Optional;

/**
 * Who moves a job's data: one gateway at a time, also while another has not noticed yet that it leads no more. It ends with the process that has
 * it.
 */
public final class Turn implements AutoCloseable {
    private final FileChannel channel;
    private final FileLock lock;

    private Turn(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /** Empty: another has it. */
    public static Optional<Turn> take(Path file) throws IOException {
        Folders.made(Objects.requireNonNull(file.getParent()));
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
            return lock == null ? Optional.empty() : Optional.of(new Turn(channel, lock));
        } catch (OverlappingFileLockException ours) {
            return Optional.empty();
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            lock.release();
        }
    }
}
