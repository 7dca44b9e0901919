package io.sluice;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** What has been opened and is to be closed. */
final class Opened {
    private static final System.Logger LOG = System.getLogger(Opened.class.getName());
    private static final Duration STEP = Duration.ofSeconds(4);

    private record Step(String name, Supplier<Future<Void>> close) {}

    private final Deque<Step> steps = new ArrayDeque<>();

    synchronized void closing(String name, Supplier<Future<Void>> close) {
        steps.push(new Step(name, close));
    }

    /** Last first, each within its time; one that fails does not keep the next from closing. */
    synchronized void close() {
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            try {
                step.close()
                        .get()
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get(STEP.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                LOG.log(System.Logger.Level.WARNING, "event=not-closed room=" + step.name(), e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
