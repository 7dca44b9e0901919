package io.sluice.logs.keep;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long a keeper's thread waits for the database. */
final class Patience {
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private Patience() {}

    static <T> T await(Future<T> future) throws InterruptedException, ExecutionException, TimeoutException {
        return future.toCompletionStage().toCompletableFuture().get(ANSWER.toSeconds(), TimeUnit.SECONDS);
    }
}
