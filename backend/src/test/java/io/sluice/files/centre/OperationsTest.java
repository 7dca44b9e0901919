package io.sluice.files.centre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.client.CollectorRegistry;
import io.sluice.files.Files;
import io.sluice.web.Reply;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
        return new Operations(vertx, new Spaces(Files.together(data)), worker, worker, patience)
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
}
