package io.sluice.files.centre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
import io.sluice.files.space.Running;
import io.sluice.files.space.Space;
import io.sluice.files.space.Undertakings;
import io.sluice.files.space.Undertakings.Hearing;
import io.sluice.files.space.Undertakings.State;
import io.sluice.files.tree.Owner;
import io.sluice.web.Reply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What takes longer than its answer may. */
@Timeout(20)
class OperationsTest {
    private final Vertx vertx = Vertx.vertx();
    private final AtomicInteger forgotten = new AtomicInteger();

    @TempDir
    private Path data;

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private Future<Reply> soon(Duration patience, Future<Reply> whole) {
        Worker worker = Worker.quick(vertx, new CentreMetrics(new CollectorRegistry()));
        return new Operations(vertx, new Spaces(Files.together(data)), worker, worker, worker, patience, Hearing.USUAL)
                .soon(whole, () -> Reply.nothing().status(202), () -> {
                    forgotten.incrementAndGet();
                    return Future.succeededFuture("");
                });
    }

    private static Reply await(Future<Reply> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void what_is_done_in_time_is_answered_and_what_is_not_is_told_to_go_on() throws Exception {
        assertThat(await(soon(Duration.ofMinutes(1), Future.succeededFuture(Reply.nothing())))
                        .status())
                .isEqualTo(204);
        assertThat(forgotten).hasValue(1);
        assertThatThrownBy(() -> await(soon(Duration.ofMinutes(1), Future.failedFuture("no room"))))
                .hasMessageContaining("no room");
        assertThat(forgotten).hasValue(2);

        Promise<Reply> slow = Promise.promise();
        assertThat(await(soon(Duration.ofMillis(1), slow.future())).status()).isEqualTo(202);
        slow.complete(Reply.nothing());
        assertThat(forgotten).as("its end is asked for").hasValue(2);
    }

    @Test
    void what_waits_for_its_turn_is_heard_of_for_as_long_as_it_waits() throws Exception {
        var ahead = new AtomicLong();
        var hearing =
                new Hearing(() -> Instant.now().plusSeconds(ahead.get()), Duration.ofMinutes(1), Duration.ofMillis(10));
        var metrics = new CentreMetrics(new CollectorRegistry());
        Worker quick = Worker.quick(vertx, metrics);
        var operations = new Operations(
                vertx,
                new Spaces(Files.together(data)),
                quick,
                Worker.slow(vertx, metrics),
                Worker.beats(vertx, metrics),
                Duration.ofMinutes(1),
                hearing);
        var undertakings = new Undertakings(new Space(data, Owner.of(data), true), hearing);
        var disk = new CountDownLatch(1);
        List<Future<Reply>> all = new ArrayList<>();
        for (String id : List.of("0".repeat(28), "1".repeat(28), "2".repeat(28))) {
            assertThat(undertakings.begin(id)).isNull();
            all.add(operations.going(
                    1,
                    new Running(undertakings, id, true),
                    () -> {
                        disk.await(10, TimeUnit.SECONDS);
                        return Reply.nothing();
                    },
                    Reply::nothing));
        }
        Path last = data.resolve(".sluice/operations/" + "2".repeat(28));

        for (int i = 0; i < 3; i++) {
            ahead.addAndGet(40);
            heard(last, ahead.get());
            assertThat(undertakings.find("2".repeat(28)).state()).isEqualTo(State.RUNNING);
        }

        disk.countDown();
        for (var one : all) {
            assertThat(await(one).status()).isEqualTo(204);
        }
        assertThat(last).doesNotExist();
        assertThat(operations.close().succeeded()).isTrue();
    }

    private static void heard(Path note, long ahead) throws Exception {
        Instant from = Instant.now().plusSeconds(ahead - 20);
        long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (java.nio.file.Files.getLastModifiedTime(note).toInstant().isBefore(from)) {
            assertThat(System.nanoTime() - end).as("it is heard of").isNegative();
            Thread.onSpinWait();
        }
    }
}
