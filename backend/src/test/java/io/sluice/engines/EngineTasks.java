package io.sluice.engines;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** An engine in a folder of its own, with one user's home and one shared folder; it ends what it started. */
public abstract class EngineTasks implements AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    public final Path folder;
    public final Path home;
    public final Path shared;
    /** Where output goes, a file for each task. */
    public final Path logs;

    public final CollectorRegistry registry = new CollectorRegistry();
    protected final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Run> heard = new LinkedBlockingQueue<>();

    protected EngineTasks(Path folder) throws IOException {
        this.folder = folder;
        this.home = Files.createDirectories(folder.resolve("homes/ann"));
        this.shared = Files.createDirectories(folder.resolve("shared"));
        this.logs = Files.createDirectories(folder.resolve("logs"));
    }

    public abstract Engine engine();

    public abstract Task task(String name, String script);

    protected final void listen() {
        var unused = engine().watch(heard::add);
    }

    public final Run start(Task task) {
        var started = engine().start(task).await();
        assertThat(started).isInstanceOf(Started.Running.class);
        return ((Started.Running) started).run();
    }

    /** Starts a script and waits for its end. */
    public final Run run(String name, String script) {
        start(task(name, script));
        return over(name);
    }

    public final Run over(String name) {
        try {
            for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS); ; ) {
                var run = heard.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                assertThat(run).as("the end of " + name).isNotNull();
                if (run.name().equals(name) && run.isOver()) {
                    return run;
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public final Run seen(String name) {
        return engine().list().await().stream()
                .filter(run -> run.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public final String log(String name) {
        try {
            var log = logs.resolve(name);
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void until(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS); !condition.getAsBoolean(); ) {
            assertThat(System.nanoTime()).as("waited in vain: " + what).isLessThan(end);
            LockSupport.parkNanos(10_000_000);
        }
    }

    public final void untilLogged(String name, String text) {
        until(text + " in the log of " + name, () -> log(name).contains(text));
    }

    /** As a gateway that ends: what runs goes on. */
    public final void leave() {
        engine().close().await();
        vertx.close().await();
    }

    @Override
    public void close() {
        Engine all = engine();
        each(run -> all.stop(run.name(), Duration.ZERO));
        until("all to be over", () -> all.list().await().stream().allMatch(Run::isOver));
        each(run -> all.remove(run.name()));
        settle();
        leave();
    }

    /** Waits for what the engine takes away after its tasks. */
    protected void settle() {}

    /** All at once: an engine takes its time for each. */
    private void each(Function<Run, Future<Void>> work) {
        Future.all(engine().list().await().stream().map(work).toList()).await();
    }
}
