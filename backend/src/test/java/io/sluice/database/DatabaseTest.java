package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
    void a_statement_gives_its_rows_mapped_or_collected() {
        insert(database.pool(), "mapped").await();
        assertThat(database.pool()
                        .preparedQuery("SELECT body FROM notes WHERE body = $1")
                        .collecting(Collectors.mapping(row -> row.getString(0), Collectors.toList()))
                        .execute(Tuple.of("mapped"))
                        .await()
                        .value())
                .containsExactly("mapped");
    }

    @Test
    void a_transaction_commits_all_of_its_work() {
        database.transaction(c -> insert(c, "one").compose(done -> insert(c, "two")))
                .await();
        assertThat(count("one") + count("two")).isEqualTo(2);
    }

    @Test
    void a_transaction_rolls_back_and_keeps_the_first_error() {
        var first = new IllegalStateException("first");
        assertThatThrownBy(() -> database.transaction(
                                c -> insert(c, "rolled back").compose(done -> Future.failedFuture(first)))
                        .await())
                .isSameAs(first);
        assertThat(count("rolled back")).isZero();
    }

    @Test
    void work_that_throws_rolls_back_too() {
        var thrown = new IllegalStateException("thrown");
        assertThatThrownBy(() -> database.transaction(c -> {
                            throw thrown;
                        })
                        .await())
                .isSameAs(thrown);
        assertThat(database.gauges().lent()).isZero();
    }

    @Test
    void its_limits_are_among_the_numbers() {
        var registry = new CollectorRegistry();
        database.expose(registry);

        assertThat(registry.getSampleValue("sluice_database_connections_limit"))
                .isEqualTo(database.gauges().poolSize());
        assertThat(registry.getSampleValue("sluice_database_refused_total")).isZero();
    }

    @Test
    void a_transaction_that_hides_a_failed_statement_is_not_reported_as_committed() {
        insert(database.pool(), "there already").await();
        assertThatThrownBy(() -> database.transaction(c -> insert(c, "lost")
                                .compose(done -> insert(c, "there already"))
                                .otherwiseEmpty())
                        .await())
                .isNotNull();
        assertThat(count("lost")).isZero();
    }

    @Test
    void a_broken_constraint_is_told_by_its_name() {
        insert(database.pool(), "twice").await();
        assertThatThrownBy(() -> insert(database.pool(), "twice").await())
                .matches(e -> Database.isConflict(e, "notes_once"))
                .matches(e -> !Database.isConflict(e, "another"))
                .matches(e -> !Database.isUnavailable(e));
    }

    @Test
    void a_statement_that_takes_too_long_is_cut_short_and_costs_no_connection() {
        withLimits(10, 1000, Duration.ofMillis(1500), limited -> {
            assertThatThrownBy(() -> limited.pool()
                            .query("SELECT pg_sleep(10)")
                            .execute()
                            .await())
                    .matches(Database::isUnavailable);
            assertThat(limited.gauges().expired()).isZero();
            assertThat(limited.gauges().connections()).isOne();
            limited.check().await();
        });
    }

    @Test
    void those_who_come_at_once_go_together_and_one_that_fails_fails_alone() {
        var inserts = database.gathering("INSERT INTO notes (body) VALUES ($1) RETURNING body");
        var before = database.gauges();
        var answers = IntStream.range(0, 200)
                .mapToObj(n -> inserts.execute(Tuple.of(n == 150 ? "together-7" : "together-" + n)))
                .toList();
        Future.join(answers).transform(all -> Future.succeededFuture()).await();

        for (int n = 0; n < 200; n++) {
            var answer = answers.get(n);
            if (n == 150) {
                assertThat(answer.cause()).matches(e -> Database.isConflict(e, "notes_once"));
            } else {
                assertThat(answer.result().iterator().next().getString(0)).isEqualTo("together-" + n);
            }
        }
        var after = database.gauges();
        assertThat(after.gathered() - before.gathered()).isEqualTo(200);
        assertThat(after.gatherings() - before.gatherings()).isLessThan(20);
        assertThat(after.gatherWaiting()).isZero();
    }

    @Test
    void whoever_waits_for_a_database_that_does_not_answer_is_told_in_time() {
        withLimits(10, 3, Duration.ofMillis(1500), limited -> {
            var slow = limited.gathering("SELECT pg_sleep($1)");
            var answers = IntStream.range(0, 6)
                    .mapToObj(n -> slow.execute(Tuple.of(n == 0 ? 10.0 : 0.0)))
                    .toList();
            long from = System.nanoTime();
            Future.join(answers).transform(all -> Future.succeededFuture()).await();
            assertThat(System.nanoTime() - from)
                    .isLessThan(Duration.ofSeconds(3).toNanos());
            assertThat(answers.stream().map(Future::cause)).hasSize(6).allMatch(Database::isUnavailable);
            assertThat(limited.gauges().refused()).isEqualTo(2);
            slow.execute(Tuple.of(0.0)).await();
        });
    }

    @Test
    void callers_beyond_the_queue_are_turned_away_at_once() {
        withLimits(1, 2, Duration.ofSeconds(5), limited -> {
            var answers = IntStream.range(0, 10)
                    .mapToObj(n -> limited.pool().query("SELECT pg_sleep(0.2)").execute())
                    .toList();
            Future.join(answers).transform(all -> Future.succeededFuture()).await();
            assertThat(answers.stream().filter(Future::succeeded)).hasSize(3);
            assertThat(answers.stream().filter(Future::failed).map(Future::cause))
                    .hasSize(7)
                    .allMatch(Database::isUnavailable);
            assertThat(limited.gauges().refused()).isEqualTo(7);
        });
    }

    @Test
    void a_caller_gives_up_within_two_seconds_unless_told_otherwise() {
        assertThat(Database.Settings.of(Path.of("data"), null).queryTimeout()).isLessThan(Duration.ofSeconds(2));
    }

    private static void withLimits(int size, int waiting, Duration limit, Consumer<Database> use) {
        var settings = new Database.Settings(test.settings().data(), test.url(), size, waiting, limit);
        var limited = Database.open(vertx, settings).await();
        try {
            use.accept(limited);
        } finally {
            limited.close().await();
        }
    }

    private static Future<Void> insert(SqlClient client, String body) {
        return client.preparedQuery("INSERT INTO notes VALUES ($1)")
                .execute(Tuple.of(body))
                .mapEmpty();
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
