package io.sluice.logs.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A log to be read by offset, from any thread and any number of them. */
public interface Bytes extends Closeable {
    /** How many there are by now. */
    long size() throws IOException;

    /** Reads as many as there are and fit; 0 at the end. */
    int read(long offset, ByteBuffer into) throws IOException;

    /** Fills the array from its beginning with what there is; the answer is how much that was. */
    default int fill(long offset, byte[] into, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(into, 0, length);
        while (buffer.hasRemaining() && read(offset + buffer.position(), buffer) > 0) {}
        return buffer.position();
    }
}
