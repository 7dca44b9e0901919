package io.sluice.files.tree;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** A file that is open, and what was known of it when it was. */
public record OpenFile(FileChannel channel, Found found) implements AutoCloseable {
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
