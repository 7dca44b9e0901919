package io.sluice.telemetry.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.telemetry.Telemetry;
import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Pictures;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is remembered, and a database that is slow or away while it is. */
class HistoryTest {
    private static final Instant BEGUN = Instant.ofEpochMilli(1_700_000_000_000L);

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database =
            TestDatabase.with(vertx, List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Telemetry.MIGRATIONS));

    @BeforeEach
    void without_tasks() {
        // what is remembered is about a task that there is; here there is none
        sql("ALTER TABLE task_summaries DROP CONSTRAINT task_summaries_task");
    }

    @AfterEach
    void close() {
        database.close();
        vertx.close().await();
    }

    private long sql(String text) {
        var rows = database.database().pool().query(text).execute().await();
        return rows.size() == 0 ? 0 : rows.iterator().next().getLong(0);
    }

    private static Observation at(int round, boolean runs) {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        return Pictures.at(
                BEGUN.plusSeconds(5L * round),
                List.of(Pictures.device("n1", "g0", 0, 0.5, runs ? holder : null)),
                runs ? List.of(Pictures.doing(holder, round)) : List.of());
    }

    private static void eventually(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("too late").isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** How often this thread has waited for something: of a machine that is slow that says nothing. */
    private static long waits() {
        return ManagementFactory.getThreadMXBean()
                .getThreadInfo(Thread.currentThread().threadId())
                .getWaitedCount();
    }

    private History history() {
        var history = new History(database.database(), new CollectorRegistry());
        history.start();
        return history;
    }

    @Test
    void while_the_database_hangs_everything_is_taken_and_nothing_that_was_kept_is_lost() {
        var before = history();
        for (int round = 0; round < 10; round++) {
            before.take(at(round, true));
        }
        eventually(() -> {
            before.take(at(9, false));
            return sql("SELECT count(*) FROM task_summaries WHERE finished") == 1;
        });
        before.close().await();
        Promise<Void> locked = Promise.promise();
        Promise<Void> enough = Promise.promise();
        var held = database.database()
                .pool()
                .withTransaction(connection -> connection
                        .query("LOCK TABLE task_summaries")
                        .execute()
                        .onSuccess(rows -> locked.complete())
                        .compose(rows -> enough.future()));
        locked.future().await();
        var after = history();
        long waits = waits();
        for (int round = 10; round < 20; round++) {
            after.take(at(round, true));
        }
        assertThat(waits()).as("it waits for nobody").isEqualTo(waits);
        assertThat(after.running(7)).isPresent();
        enough.complete();
        held.await();
        eventually(() -> {
            after.take(at(19, true));
            return after.running(7).orElseThrow().coarse().from() == BEGUN.toEpochMilli();
        });
        eventually(() -> {
            after.take(at(20, false));
            return after.running(7).isEmpty();
        });
        Kept kept = after.of(List.of(7L)).await().getFirst();
        assertThat(kept.coarse().from()).as("from its very beginning").isEqualTo(BEGUN.toEpochMilli());
        assertThat(kept.tally(6).seconds()).isGreaterThanOrEqualTo(2 * 9 * 5 - 1);
        after.close().await();
    }

    @Test
    void a_task_whose_summary_the_database_refuses_holds_up_no_other() {
        sql("ALTER TABLE task_summaries ADD CONSTRAINT none_of_seven CHECK (task_id <> 7)");
        var history = history();
        var refused = Pictures.holder(7, "ann", "train", List.of());
        var other = Pictures.holder(8, "ann", "other", List.of());
        history.take(Pictures.at(BEGUN, List.of(), List.of(Pictures.doing(refused, 1), Pictures.doing(other, 1))));
        eventually(() -> {
            history.take(Pictures.at(BEGUN.plusSeconds(5), List.of(), List.of()));
            return sql("SELECT count(*) FROM task_summaries WHERE finished AND task_id = 8") == 1;
        });
        eventually(() -> history.running(7).isEmpty());
        history.close().await();
    }

    @Test
    void of_what_ended_long_ago_the_sums_stay() {
        var store = new SummaryStore(database.database());
        Kept kept = Kept.begun(7, List.of(Pictures.device("n1", "g0", 0, 0.5, null)));
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        for (int round = 0; round < 10; round++) {
            kept.take(
                    BEGUN.plusSeconds(5L * round),
                    Pictures.doing(holder, round),
                    List.of(Pictures.device("n1", "g0", 0, 0.5, holder)),
                    100);
        }
        store.save(holder, kept, true).await();
        assertThat(store.thin(Duration.ofDays(30), 100).await()).isZero();
        sql("UPDATE task_summaries SET changed = now() - interval '31 days'");
        assertThat(store.thin(Duration.ofDays(30), 100).await()).isEqualTo(1);
        assertThat(store.thin(Duration.ofDays(30), 100).await()).isZero();
        Kept thin = store.of(List.of(7L)).await().getFirst();
        assertThat(thin.tally(6).mean()).isEqualTo(kept.tally(6).mean());
        assertThat(thin.coarse().points().size()).isZero();
    }
}
