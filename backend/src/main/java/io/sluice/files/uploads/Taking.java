package io.sluice.files.uploads;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;

/** A file that is being written, by whoever holds its lock. */
final class Taking implements AutoCloseable {
    private final FileChannel data;
    private long left;

    /** @param left how many bytes are to come */
    Taking(FileChannel data, long left) {
        this.data = data;
        this.left = left;
    }

    /** The lock is given back when the file is closed. */
    static boolean isFree(FileChannel data) throws IOException {
        try {
            return data.tryLock() != null;
        } catch (OverlappingFileLockException taken) {
            return false;
        }
    }

    long left() {
        return left;
    }

    void write(ByteBuffer bytes) throws IOException {
        left -= bytes.remaining();
        while (bytes.hasRemaining()) {
            data.write(bytes);
        }
    }

    @Override
    public void close() throws IOException {
        data.close();
    }
}
