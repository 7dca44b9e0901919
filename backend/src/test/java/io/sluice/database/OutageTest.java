package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers see while the database is away, and after. */
class OutageTest {

    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final Vertx vertx = Vertx.vertx();
    private static OwnServer server;
    private static Database database;

    @BeforeAll
    static void open(@TempDir Path folder) throws Exception {
        server = OwnServer.in(folder.resolve("data"));
        database = Database.open(vertx, new Database.Settings(server.data(), null, 10, 1000, LIMIT))
                .await();
    }

    @AfterAll
    static void close() {
        database.close().await();
        vertx.close().await();
    }

    @Test
    void callers_of_a_server_that_stands_still_fail_in_time_and_it_comes_back() throws Exception {
        warm();
        server.pause();
        try {
            // more than there are connections: those that queue have no more time than the others
            assertUnavailableInTime(() -> Future.join(
                    IntStream.range(0, 50).mapToObj(n -> database.check()).toList()));
            assertUnavailableInTime(database::check);
            assertUnavailableInTime(
                    () -> database.transaction(c -> c.query("SELECT 1").execute()));
        } finally {
            server.resume();
        }
        Eventually.holds(OutageTest::answers);
        Eventually.holds(
                () -> database.gauges().lent() == 0 && database.gauges().waiting() == 0);
        assertThat(database.gauges().expired()).isPositive();
        warm();
    }

    @Test
    void a_server_that_dies_is_started_again_and_everyone_is_rung() throws Exception {
        warm();
        var rung = new CountDownLatch(1);
        Eventually.holds(() -> database.gauges().listening());
        database.doorbell().listen("topic", rung::countDown);
        new Postmaster(server.pid(), 0, "").signal("KILL");
        assertThat(rung.await(20, TimeUnit.SECONDS)).isTrue();
        Eventually.holds(OutageTest::answers);
        warm();
    }

    private static boolean answers() {
        return database.check()
                .map(true)
                .recover(e -> {
                    assertThat(e).isInstanceOf(Database.Unavailable.class);
                    return Future.succeededFuture(false);
                })
                .await();
    }

    private static void warm() {
        Future.join(IntStream.range(0, 10).mapToObj(n -> database.check()).toList())
                .await();
    }

    private static void assertUnavailableInTime(Supplier<Future<?>> ask) {
        var before = Instant.now();
        var answer = ask.get();
        assertThatThrownBy(answer::await).isInstanceOf(Database.Unavailable.class);
        assertThat(Duration.between(before, Instant.now())).isLessThan(LIMIT.multipliedBy(2));
    }
}
