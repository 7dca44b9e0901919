package io.sluice.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DoorbellTest {

    private static final Vertx vertx = Vertx.vertx();
    private static final TestDatabase test = TestDatabase.fresh(vertx);
    private static final Database here = test.database();
    private static final Database there = Database.open(vertx, test.settings()).await();

    private final AtomicInteger rings = new AtomicInteger();

    @BeforeEach
    void listening() throws Exception {
        Eventually.holds(() -> here.gauges().listening() && there.gauges().listening());
    }

    @AfterAll
    static void close() {
        there.close().await();
        test.close();
        vertx.close().await();
    }

    @Test
    void a_ring_is_heard_by_every_gateway_that_listens_to_its_topic() throws Exception {
        var others = new AtomicInteger();
        var subscriptions = new Doorbell.Subscription[] {
            here.doorbell().listen("people", rings::incrementAndGet),
            there.doorbell().listen("people", rings::incrementAndGet),
            there.doorbell().listen("jobs", others::incrementAndGet)
        };
        here.doorbell().ring("people").await();
        Eventually.holds(() -> rings.get() >= 2);
        assertThat(others).hasValue(0);
        for (var subscription : subscriptions) {
            subscription.cancel();
        }
    }

    @Test
    void a_ring_inside_a_transaction_is_heard_when_it_commits_and_not_when_it_rolls_back() throws Exception {
        var subscription = there.doorbell().listen("people", rings::incrementAndGet);
        var ringing = "SELECT " + Doorbell.ringing("people");
        here.transaction(c -> c.query(ringing).execute().compose(rung -> Future.failedFuture("changed my mind")))
                .recover(e -> Future.succeededFuture())
                .await();
        here.doorbell().ring("people").await();
        Eventually.holds(() -> rings.get() > 0);
        assertThat(rings).hasValue(1);
        subscription.cancel();
    }

    @Test
    void who_has_cancelled_hears_nothing() throws Exception {
        var subscription = there.doorbell().listen("people", rings::incrementAndGet);
        var after = new AtomicInteger();
        var stays = there.doorbell().listen("people", after::incrementAndGet);
        subscription.cancel();
        here.doorbell().ring("people").await();
        Eventually.holds(() -> after.get() == 1);
        assertThat(rings).hasValue(0);
        stays.cancel();
    }

    @Test
    void everyone_is_rung_when_its_connection_was_lost_and_is_back() throws Exception {
        var before = there.gauges().reconnects();
        var ours = here.gauges().reconnects();
        var subscription = there.doorbell().listen("people", rings::incrementAndGet);
        here.pool()
                .query(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sluice doorbell'"
                                + " AND datname = current_database()")
                .execute()
                .await();
        Eventually.holds(() -> rings.get() > 0);
        assertThat(there.gauges().reconnects()).isGreaterThan(before);
        // both: who is back later rings everyone in the middle of another test
        Eventually.holds(() -> there.gauges().listening()
                && here.gauges().reconnects() > ours
                && here.gauges().listening());
        rings.set(0);
        here.doorbell().ring("people").await();
        Eventually.holds(() -> rings.get() > 0);
        subscription.cancel();
    }

    @Test
    void a_listener_that_throws_does_not_keep_others_from_hearing() throws Exception {
        var broken = there.doorbell().listen("people", () -> {
            throw new IllegalStateException("on purpose");
        });
        var subscription = there.doorbell().listen("people", rings::incrementAndGet);
        here.doorbell().ring("people").await();
        Eventually.holds(() -> rings.get() == 1);
        broken.cancel();
        subscription.cancel();
    }

    @Test
    void a_topic_is_a_plain_word() {
        assertThatThrownBy(() -> Doorbell.ringing("people'); DROP TABLE people; --"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
