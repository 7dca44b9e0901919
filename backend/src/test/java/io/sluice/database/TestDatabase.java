package io.sluice.database;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A fresh, empty database on a server that all tests of this JVM share: an embedded one whose files stay in
 * {@code target} for the next run, or the one that {@code -Dsluice.test.db=postgresql://…} names.
 */
public final class TestDatabase implements AutoCloseable {

    private static final Path FOLDER =
            Path.of("target", "test-database-" + System.getProperty("sluice.test.fork", "1"));
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Database database;
    private final String name;

    private TestDatabase(Database database, String name) {
        this.database = database;
        this.name = name;
    }

    /** Close it when done. */
    public static TestDatabase fresh(Vertx vertx) {
        var name = "test_%d_%d".formatted(ProcessHandle.current().pid(), NUMBER.incrementAndGet());
        run("CREATE DATABASE " + name);
        return new TestDatabase(Database.open(vertx, settings(name)).await(), name);
    }

    public Database database() {
        return database;
    }

    public Path folder() {
        return FOLDER;
    }

    /** For a second gateway on the same database, as patient as the first. */
    public Database.Settings settings() {
        return settings(name);
    }

    /** For a second gateway on the same database. */
    public String url() {
        return Shared.SERVER.url(name);
    }

    @Override
    public void close() {
        database.close().await();
        run("DROP DATABASE " + name + " WITH (FORCE)");
    }

    private static void run(String sql) {
        Shared.SERVER.admin.pool().query(sql).execute().await();
    }

    private static Database.Settings settings(String name) {
        return patient(Shared.SERVER.url(name));
    }

    /** A machine that is busy with other things must not make tests fail. */
    private static Database.Settings patient(@Nullable String url) {
        return new Database.Settings(FOLDER, url, 10, 1000, PATIENCE);
    }

    private record Shared(String base, Database admin) {

        static final Shared SERVER = open();

        private static Shared open() {
            var given = System.getProperty("sluice.test.db");
            var base = given == null ? embedded() : given;
            return new Shared(base, Database.open(Vertx.vertx(), patient(base)).await());
        }

        private static String embedded() {
            var folder = DataFolder.open(FOLDER);
            var server = Embedded.start(folder.path());
            Runtime.getRuntime().addShutdownHook(new Thread(server::stop, "stop-test-database"));
            return server.target().url();
        }

        String url(String database) {
            var parameters = base.indexOf('?');
            var end = parameters < 0 ? base.length() : parameters;
            return base.substring(0, base.lastIndexOf('/', end)) + "/" + database + base.substring(end);
        }
    }
}
