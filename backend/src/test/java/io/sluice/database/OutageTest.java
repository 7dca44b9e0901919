package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers see while the database is away, and after. */
class OutageTest {

    private static final Duration LIMIT = Duration.ofSeconds(1);
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
            // twice: the first round must not leave connections behind that the second waits for
            for (int round = 1; round <= 2; round++) {
                assertUnavailableInTime();
                // given up while the server still stands, not when it moves again
                Eventually.holds(() -> database.gauges().lent() == 0);
            }
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
    void a_gateway_that_starts_waits_for_a_server_that_stands_still() throws Exception {
        var cluster = Cluster.of(server.data());
        int port = Postmaster.read(cluster.folder()).orElseThrow().port();
        var url = "postgresql://sluice:%s@127.0.0.1:%d/postgres?sslmode=disable".formatted(cluster.password(), port);
        var starting = Database.begin(new Database.Settings(server.data(), url, 3, 10, LIMIT))
                .open(vertx)
                .await();
        server.pause();
        Future<Void> patient;
        try {
            patient = starting.check();
            // somebody else has been given up meanwhile, more than once
            assertThat(settled(database.check()).failed()).isTrue();
            assertThat(settled(database.check()).failed()).isTrue();
            assertThat(patient.isComplete()).isFalse();
        } finally {
            server.resume();
        }
        patient.await();
        starting.started();
        starting.close().await();
        Eventually.holds(OutageTest::answers);
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

    private static void warm() throws Exception {
        Eventually.holds(
                () -> asked().stream().allMatch(answer -> settled(answer).succeeded()));
    }

    /** More than there are connections: those that queue have no more time than the others. */
    private static List<Future<?>> asked() {
        var answers = new ArrayList<Future<?>>();
        for (int n = 0; n < 20; n++) {
            answers.add(database.check());
            answers.add(database.transaction(c -> c.query("SELECT 1").execute()));
        }
        return answers;
    }

    private static Future<?> settled(Future<?> answer) {
        answer.transform(any -> Future.succeededFuture()).await();
        return answer;
    }

    private static void assertUnavailableInTime() {
        var before = Instant.now();
        assertThat(asked())
                .allSatisfy(answer -> assertThat(settled(answer).cause()).isInstanceOf(Database.Unavailable.class));
        // generous: on a machine with much else to do a second is soon over; the server stands still all the while
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(30));
    }
}
