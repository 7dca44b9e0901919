package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DatabaseTest {

    private static final Vertx vertx = Vertx.vertx();
    private static final TestDatabase test = TestDatabase.fresh(vertx);
    private static final Database database = test.database();

    @BeforeAll
    static void table() {
        database.pool()
                .query("CREATE TABLE notes (body text CONSTRAINT notes_once PRIMARY KEY)")
                .execute()
                .await();
    }

    @AfterAll
    static void close() {
        test.close();
        vertx.close().await();
    }

    @Test
    void a_transaction_rolls_back_and_keeps_the_first_error() {
        var first = new IllegalStateException("first");
        assertThatThrownBy(() -> database.transaction(connection -> connection
                                .preparedQuery("INSERT INTO notes VALUES ($1)")
                                .execute(Tuple.of("rolled back"))
                                .compose(done -> Future.failedFuture(first)))
                        .await())
                .isSameAs(first);
        assertThat(count("rolled back")).isZero();
    }

    private static long count(String body) {
        return database.pool()
                .preparedQuery("SELECT count(*) FROM notes WHERE body = $1")
                .mapping(row -> row.getLong(0))
                .execute(Tuple.of(body))
                .await()
                .iterator()
                .next();
    }
}
