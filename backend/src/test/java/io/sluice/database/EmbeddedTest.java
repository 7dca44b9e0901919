package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedTest {

    private static final Vertx vertx = Vertx.vertx();

    @AfterAll
    static void close() {
        vertx.close().await();
    }

    @Test
    void a_second_start_finds_its_data(@TempDir Path data) {
        var first = open(data);
        first.pool().query("CREATE TABLE notes AS SELECT 1 AS a").execute().await();
        first.close().await();

        var second = open(data);
        assertThat(second.pool().query("SELECT a FROM notes").execute().await()).hasSize(1);
        second.close().await();
    }

    private static Database open(Path data) {
        return Database.open(vertx, Database.Settings.of(data, null)).await();
    }
}
