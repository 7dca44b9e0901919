package io.sluice.files.uploads;

import io.sluice.files.tree.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;

/**
 * A file that is being written, by whoever holds its lock. The lock is a process': one gateway opens a file once at a time, for closing it
 * elsewhere would give the lock away.
 */
final class Taking implements AutoCloseable {
    private final Upload upload;
    private final OpenFile data;
    private long left;

    /** @param upload as it stands */
    Taking(Upload upload, OpenFile data) {
        this.upload = upload;
        this.data = data;
        this.left = upload.length() - upload.offset();
    }

    /** The lock is given back when the file is closed. */
    static boolean isFree(FileChannel data) throws IOException {
        try {
            return data.tryLock() != null;
        } catch (OverlappingFileLockException taken) {
            return false;
        }
    }

    Upload upload() {
        return upload;
    }

    /** How many bytes are to come. */
    long left() {
        return left;
    }

    /** What a checksum was wrong about goes. */
    void begin() throws IOException {
        data.channel().truncate(upload.offset()).position(upload.offset());
    }

    void write(ByteBuffer bytes) throws IOException {
        left -= bytes.remaining();
        while (bytes.hasRemaining()) {
            data.channel().write(bytes);
        }
    }

    /** Once it is in its place, a broken current takes none of it. */
    void settle() throws IOException {
        data.channel().force(true);
    }

    @Override
    public void close() throws IOException {
        data.close();
    }
}
