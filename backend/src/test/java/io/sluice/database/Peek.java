package io.sluice.database;

import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is stored by a gateway that is a process of its own, for a test that has to say what it found. */
public final class Peek {
    private Peek() {}

    /** @param sql that gives one column of text */
    public static List<String> rows(Path data, String sql) throws IOException {
        var cluster = Cluster.of(data.toAbsolutePath().normalize());
        var server = Postmaster.read(cluster.folder()).filter(Postmaster::alive);
        if (server.isEmpty()) {
            return List.of("no database runs");
        }
        var url = "postgresql://%s:%s@127.0.0.1:%d/postgres?sslmode=disable"
                .formatted(Cluster.USER, cluster.password(), server.get().port());
        var vertx = Vertx.vertx();
        try {
            var database = Database.open(vertx, Database.Settings.of(data, url)).await();
            List<String> found = new ArrayList<>();
            for (Row row : database.pool().query(sql).execute().await()) {
                found.add(row.getString(0));
            }
            database.close().await();
            return found;
        } catch (RuntimeException e) {
            return List.of(String.valueOf(e.getMessage()));
        } finally {
            vertx.close().await();
        }
    }
}
