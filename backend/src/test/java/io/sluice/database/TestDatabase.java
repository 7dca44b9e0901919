package io.sluice.database;

import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A fresh database on the server that all tests of this JVM share. */
public final class TestDatabase implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    /** A database for each list of tables that tests begin with, to be copied: to make the tables takes four times as long. */
    private static final Map<List<Migrations>, String> MODELS = new ConcurrentHashMap<>();

    /** Copied, it would be one for all, and on one engine each would take the others' containers for its own. */
    private static final String OWN_INSTALLATION = """
            DO $$ BEGIN
              IF to_regclass('job_leader') IS NOT NULL THEN
                UPDATE job_leader SET install = left(replace(gen_random_uuid()::text, '-', ''), 8);
              END IF;
            END $$""";

    private final Database database;
    private final String name;

    private TestDatabase(Database database, String name) {
        this.database = database;
        this.name = name;
    }

    /** Empty. Close it when done. */
    public static TestDatabase fresh(Vertx vertx) {
        return opened(vertx, created(""));
    }

    /** With the tables that these make. Close it when done. */
    public static TestDatabase with(Vertx vertx, List<Migrations> all) {
        var model = MODELS.computeIfAbsent(all, tables -> {
            var name = created("");
            var empty = opened(vertx, name).database;
            empty.migrate(tables).await();
            empty.close().await();
            return name;
        });
        // page by page through the journal takes twice as long
        var copy = opened(vertx, created(" TEMPLATE " + model + " STRATEGY file_copy"));
        copy.database
                .transaction(connection -> connection.query(OWN_INSTALLATION).execute())
                .await();
        return copy;
    }

    private static String created(String from) {
        var name = "test_%d_%d".formatted(ProcessHandle.current().pid(), NUMBER.incrementAndGet());
        TestPostgres.run("CREATE DATABASE " + name + from);
        return name;
    }

    private static TestDatabase opened(Vertx vertx, String name) {
        return new TestDatabase(
                Database.open(vertx, TestPostgres.settings(name)).await(), name);
    }

    public Database database() {
        return database;
    }

    /** For a second gateway on the same database, as patient as the first. */
    public Database.Settings settings() {
        return TestPostgres.settings(name);
    }

    /** For a second gateway on the same database. */
    public String url() {
        return TestPostgres.url(name);
    }

    @Override
    public void close() {
        database.close().await();
        TestPostgres.drop(name);
    }

    /** The models too; at the end of all tests. */
    static void end() {
        MODELS.values().forEach(TestPostgres::drop);
    }
}
