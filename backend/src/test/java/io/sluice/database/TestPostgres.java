package io.sluice.database;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * The server that all tests of this JVM share: an embedded one that forgets everything with the last of them, or the one that
 * {@code -Dsluice.test.db=postgresql://…} names.
 */
final class TestPostgres {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM = 1L << 30;
    private static final String FORK = System.getProperty("sluice.test.fork", "1");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** What is lost with the machine may be written whenever it suits. */
    private static final String CARELESS = "\nfsync = off\nfull_page_writes = off\n";

    private static final String BASE = base();
    private static final Database ADMIN =
            Database.open(Vertx.vertx(), patient(BASE)).await();

    private TestPostgres() {}

    static void run(String sql) {
        ADMIN.pool().query(sql).execute().await();
    }

    static void drop(String database) {
        run("DROP DATABASE " + database + " WITH (FORCE)");
    }

    static Database.Settings settings(String database) {
        return patient(url(database));
    }

    /** A machine that is busy with other things must not make tests fail. */
    private static Database.Settings patient(String url) {
        return new Database.Settings(Path.of("target"), url, 10, 1000, PATIENCE);
    }

    static String url(String database) {
        var parameters = BASE.indexOf('?');
        var end = parameters < 0 ? BASE.length() : parameters;
        return BASE.substring(0, BASE.lastIndexOf('/', end)) + "/" + database + BASE.substring(end);
    }

    private static String base() {
        var given = System.getProperty("sluice.test.db");
        if (given != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(TestDatabase::end, "drop-test-databases"));
            return given;
        }
        try {
            var folder = folder();
            var server = Embedded.start(isWhole(folder) ? folder : begun(folder));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server, folder), "stop-test-database"));
            return server.target().url();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /**
     * Of this build and fork alone, so that a run that was killed is followed by one that takes its server over. In memory where there
     * is enough: a database is hundreds of files, and a file system looks long for room after thousands were deleted.
     */
    private static Path folder() throws IOException {
        var target = Path.of("target").toAbsolutePath();
        var name = "test-database-" + FORK;
        var memory = MEMORY.resolve("sluice-%08x-%s".formatted(target.hashCode(), name));
        return Files.isDirectory(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ROOM
                ? memory
                : target.resolve(name);
    }

    /** What a killed run of a clone has left whose programs went with it can not be taken over, and is cleared away. */
    private static boolean isWhole(Path folder) throws IOException {
        if (TestPrograms.areIn(folder)) {
            return true;
        }
        var cluster = folder.resolve("postgres");
        var left = Postmaster.read(cluster).filter(server -> server.alive() && server.serves(cluster));
        if (left.isPresent()) {
            left.get().signalAll("KILL");
            if (!left.get().goneWithin(PATIENCE.toMillis())) {
                throw new IOException(
                        "PostgreSQL's process " + left.get().pid() + " in " + folder + " can not be ended");
            }
        }
        DataFolder.delete(folder);
        return false;
    }

    private static Path begun(Path folder) throws IOException, InterruptedException {
        var fresh = beside(folder);
        DataFolder.delete(fresh);
        TestPrograms.begunIn(fresh);
        Files.writeString(fresh.resolve("postgres/postgresql.conf"), CARELESS, StandardOpenOption.APPEND);
        return Files.move(fresh, folder);
    }

    private static Path beside(Path folder) {
        return folder.resolveSibling(folder.getFileName() + "-part");
    }

    private static void end(Embedded server, Path folder) {
        server.stop();
        try {
            // away at once: a later run must not find a part of it
            DataFolder.delete(Files.move(folder, beside(folder)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
