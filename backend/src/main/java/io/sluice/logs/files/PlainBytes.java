package io.sluice.logs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file that somebody else appends to, and that need not be there yet. */
final class PlainBytes implements Bytes {
    private final Path file;
    private volatile @Nullable FileChannel opened;
    private boolean closed;

    PlainBytes(Path file, @Nullable FileChannel opened) {
        this.file = file;
        this.opened = opened;
    }

    @Override
    public long size() throws IOException {
        FileChannel channel = channel();
        return channel == null ? 0 : channel.size();
    }

    @Override
    public int read(long offset, ByteBuffer into) throws IOException {
        FileChannel channel = channel();
        return channel == null ? 0 : Math.max(0, channel.read(into, offset));
    }

    private @Nullable FileChannel channel() throws IOException {
        FileChannel channel = opened;
        return channel == null ? open() : channel;
    }

    private synchronized @Nullable FileChannel open() throws IOException {
        if (opened == null && !closed) {
            try {
                opened = FileChannel.open(file);
            } catch (NoSuchFileException notYet) {
                return null;
            }
        }
        return opened;
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        FileChannel channel = opened;
        if (channel != null) {
            channel.close();
        }
    }
}
