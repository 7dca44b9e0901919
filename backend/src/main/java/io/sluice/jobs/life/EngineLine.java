package io.sluice.jobs.life;

import io.sluice.engines.Engine;
import io.sluice.engines.Inventory;
import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Subscription;
import io.sluice.engines.Task;
import io.vertx.core.Future;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The line to the engine: nobody waits on it longer than a limit, and while the engine is away only {@link #list}, which finds out whether
 * it is back, still waits at all.
 */
public final class EngineLine implements Engine {
    private static final Logger log = System.getLogger(EngineLine.class.getName());
    private static final long NONE = Long.MIN_VALUE;

    /**
     * @param inventory how long to wait for the machines, which every pass asks for
     * @param call for any other answer
     * @param start for that to a start
     * @param away so long without an answer the engine counts as away
     */
    public record Patience(Duration inventory, Duration call, Duration start, Duration away) {
        public static final Patience USUAL = new Patience(
                Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(10));
    }

    private final Engine engine;
    private final Patience patience;
    private final LifeMetrics metrics;
    /** When the first call that was not answered began. */
    private final AtomicLong silentSince = new AtomicLong(NONE);

    private volatile @Nullable String away;

    EngineLine(Engine engine, Patience patience, LifeMetrics metrics) {
        this.engine = engine;
        this.patience = patience;
        this.metrics = metrics;
    }

    /** Whether a call was not answered since the last list. */
    boolean isDoubtful() {
        return silentSince.get() != NONE;
    }

    /** Why it counts as away, if it does. */
    Optional<String> away() {
        return Optional.ofNullable(away);
    }

    @Override
    public String kind() {
        return engine.kind();
    }

    @Override
    public Future<Inventory> inventory() {
        return call("inventory", patience.inventory(), engine::inventory);
    }

    @Override
    public Future<Started> start(Task task) {
        return unlessAway("start", patience.start(), () -> engine.start(task));
    }

    @Override
    public Future<Void> stop(String name, Duration grace) {
        return unlessAway("stop", patience.call(), () -> engine.stop(name, grace));
    }

    @Override
    public Future<List<Run>> list() {
        return call("list", patience.call(), engine::list)
                .onSuccess(answered -> isBack())
                .onFailure(this::isSilent);
    }

    @Override
    public Subscription watch(Consumer<Run> changed) {
        return engine.watch(changed);
    }

    @Override
    public Future<Void> remove(String name) {
        return unlessAway("remove", patience.call(), () -> engine.remove(name));
    }

    /** Not closed here: it is not ours. */
    @Override
    public Future<Void> close() {
        return Future.succeededFuture();
    }

    private <T> Future<T> unlessAway(String name, Duration limit, Supplier<Future<T>> ask) {
        String reason = away;
        return reason == null ? call(name, limit, ask) : Future.failedFuture(new Unavailable(reason, null));
    }

    private <T> Future<T> call(String name, Duration limit, Supplier<Future<T>> ask) {
        long began = System.nanoTime();
        return Future.<Void>succeededFuture()
                .compose(now -> ask.get())
                .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .onComplete(done -> metrics.asked(name, done.succeeded(), System.nanoTime() - began))
                .recover(e -> {
                    if (e instanceof Unavailable || e instanceof TimeoutException) {
                        silentSince.compareAndSet(NONE, began);
                        return Future.failedFuture(new Unavailable(line(name, limit, e), e));
                    }
                    return Future.failedFuture(e);
                });
    }

    private static String line(String name, Duration limit, Throwable e) {
        return e instanceof TimeoutException
                ? "the engine did not answer within %s ms (%s)".formatted(limit.toMillis(), name)
                : String.valueOf(e.getMessage());
    }

    private void isBack() {
        silentSince.set(NONE);
        if (away != null) {
            log.log(Level.INFO, "engine=back kind={0}", engine.kind());
        }
        away = null;
        metrics.away(false);
    }

    private void isSilent(Throwable e) {
        long since = silentSince.get();
        if (away == null
                && since != NONE
                && System.nanoTime() - since >= patience.away().toNanos()) {
            away =
                    "The engine can not be reached: %s. What runs there goes on; its state shows as soon as the engine answers again."
                            .formatted(e.getMessage());
            metrics.away(true);
            log.log(Level.WARNING, "engine=away kind={0} cause=\"{1}\"", engine.kind(), e.getMessage());
        }
    }
}
