package io.sluice.engines.docker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Engines share the machine's packet filter and addresses: of those that tests start, in however many JVMs, one lives at a time. */
record OnlyOne(FileChannel file, FileLock lock) implements AutoCloseable {

    static OnlyOne await() throws IOException {
        var file = FileChannel.open(
                Path.of(System.getProperty("java.io.tmpdir"), "sluice-test-dockerd.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        return new OnlyOne(file, file.lock());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
