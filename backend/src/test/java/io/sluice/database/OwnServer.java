package io.sluice.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An embedded server that a test may hurt, on programs unpacked once for all tests. */
record OwnServer(Path data) {

    private static final Path PROGRAMS = Path.of(
                    "target", "test-programs-" + System.getProperty("sluice.test.fork", "1"))
            .toAbsolutePath();

    /** A data folder where a first start finds its programs unpacked; that part has a test of its own. */
    static OwnServer in(Path folder) throws IOException {
        Files.createDirectories(PROGRAMS);
        var unpacked = Binaries.unpacked(PROGRAMS);
        var data = Files.createDirectories(folder);
        Files.createSymbolicLink(data.resolve(unpacked.getFileName()), unpacked);
        return new OwnServer(data);
    }

    /** The same for another user, who may not reach ours. */
    static Path copyIn(Path data) throws IOException, InterruptedException {
        Files.createDirectories(PROGRAMS);
        var unpacked = Binaries.unpacked(PROGRAMS);
        new ProcessBuilder("cp", "-r", unpacked.toString(), data.toString())
                .start()
                .waitFor();
        return data;
    }

    Path cluster() {
        return data.resolve("postgres");
    }

    long pid() throws IOException {
        return Postmaster.read(cluster()).orElseThrow().pid();
    }

    /** All of it: a postmaster that stands still does not keep its sessions from answering. */
    void pause() throws IOException {
        new Postmaster(pid(), 0, "").signalAll("STOP");
    }

    void resume() throws IOException {
        new Postmaster(pid(), 0, "").signalAll("CONT");
    }
}
