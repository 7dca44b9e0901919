package io.sluice.database;

import java.io.IOException;
import java.nio.file.Path;

/** An embedded server that a test may hurt, on programs unpacked once for all tests. */
record OwnServer(Path data) {

    /** A data folder where a first start finds its programs unpacked; that part has a test of its own. */
    static OwnServer in(Path folder) throws IOException {
        return new OwnServer(TestPrograms.linkedIn(folder));
    }

    /** The same for another user, who may not reach ours. */
    static Path copyIn(Path data) throws IOException, InterruptedException {
        TestPrograms.copy(TestPrograms.unpacked(), data);
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
