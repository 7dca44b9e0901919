package io.sluice.files.centre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose work waits for disks. */
@Timeout(20)
class WorkerTest {
    private final Vertx vertx = Vertx.vertx();
    private final CollectorRegistry registry = new CollectorRegistry();
    private final Worker worker = Worker.quick(vertx, new CentreMetrics(registry));

    @AfterEach
    void close() throws Exception {
        worker.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void who_waits_for_a_slow_disk_with_all_they_may_lets_others_work() throws Exception {
        var disk = new CountDownLatch(1);
        List<Future<Boolean>> slow = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            slow.add(worker.run(1, () -> disk.await(10, TimeUnit.SECONDS)));
        }
        assertThatThrownBy(() -> await(worker.run(1, () -> "more"))).hasCauseInstanceOf(Problem.class);

        assertThat(await(worker.run(2, () -> "quick"))).isEqualTo("quick");
        Future<String> begun = worker.of(1).after(() -> "what was begun is not refused");
        disk.countDown();
        for (var one : slow) {
            assertThat(await(one)).isTrue();
        }
        assertThat(await(begun)).startsWith("what");
        assertThat(await(worker.run(1, () -> "again"))).isEqualTo("again");
    }

    @Test
    void whatever_work_fails_with_is_told_and_counts_no_more() {
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> await(worker.run(1, () -> {
                        throw new StackOverflowError("deep");
                    })))
                    .hasCauseInstanceOf(StackOverflowError.class);
        }
        assertThat(Objects.requireNonNull(registry.getSampleValue("sluice_files_calls")))
                .isZero();
    }

    @Test
    void what_takes_memory_for_long_has_a_limit_of_each_and_of_all() {
        var turns = new Turns("zips", "You have 2 at once.", 2, 3, new CentreMetrics(new CollectorRegistry()));
        turns.enter(1);
        turns.enter(1);
        assertThatThrownBy(() -> turns.enter(1))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith("You have 2 at once. Wait");
        turns.enter(2);
        assertThatThrownBy(() -> turns.enter(3)).isInstanceOf(Problem.class).hasMessageContaining("gateway");
        turns.leave(1);
        turns.enter(3);
        turns.leave(1);
        turns.enter(1);
    }
}
