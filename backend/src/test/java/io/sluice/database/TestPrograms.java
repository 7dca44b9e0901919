package io.sluice.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** PostgreSQL's programs and the files of a new server, made once for all tests and all later runs: both take seconds. */
final class TestPrograms {
    private static final Path FOLDER = Path.of("target", "test-postgres").toAbsolutePath();

    private TestPrograms() {}

    /** A data folder in which a first start finds the programs unpacked. */
    static Path linkedIn(Path data) throws IOException {
        var programs = unpacked();
        Files.createDirectories(data);
        Files.createSymbolicLink(data.resolve(programs.getFileName()), programs);
        return data;
    }

    /** The same, where the server has begun before. */
    static Path begunIn(Path data) throws IOException, InterruptedException {
        linkedIn(data);
        copy(begun().folder(), data);
        return data;
    }

    static boolean areIn(Path data) throws IOException {
        return Files.isDirectory(data.resolve(unpacked().getFileName()));
    }

    static void copy(Path from, Path into) throws IOException, InterruptedException {
        var copying = new ProcessBuilder("cp", "-a", from.toString(), into.toString()).inheritIO();
        if (copying.start().waitFor() != 0) {
            throw new IOException(from + " is not copied");
        }
    }

    @SuppressWarnings("try") // it is held, and nothing else is done with it
    static Path unpacked() throws IOException {
        return alone(() -> Binaries.unpacked(FOLDER));
    }

    @SuppressWarnings("try")
    private static Cluster begun() throws IOException {
        return alone(() -> {
            var cluster = Cluster.of(FOLDER);
            if (!cluster.exists()) {
                cluster.create(Binaries.unpacked(FOLDER));
            }
            return cluster;
        });
    }

    @FunctionalInterface
    private interface Making<T> {
        T make() throws IOException;
    }

    /** Other threads and other JVMs that test wait here. */
    private static synchronized <T> T alone(Making<T> making) throws IOException {
        Files.createDirectories(FOLDER);
        try (var held = FileChannel.open(FOLDER.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            held.lock();
            return making.make();
        }
    }
}
