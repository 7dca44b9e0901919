package io.sluice.engines.docker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Engines share a network's packet filter and addresses: of those that tests start there, in however many JVMs, one lives at a time. */
record OnlyOne(FileChannel file, FileLock lock) implements AutoCloseable {

    static OnlyOne await() throws IOException {
        var network =
                Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString().replaceAll("\\D", "");
        var file = FileChannel.open(
                Path.of(System.getProperty("java.io.tmpdir"), "sluice-test-dockerd.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        return new OnlyOne(file, file.lock(Long.parseLong(network), 1, false));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
