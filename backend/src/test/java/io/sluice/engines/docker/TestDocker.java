package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Engine;
import io.sluice.engines.EngineTasks;
import io.sluice.engines.Node;
import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Task;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A Docker engine's gateway side in a folder of its own, with one user's home and one shared folder; it ends what it started. */
final class TestDocker implements EngineTasks, AutoCloseable {

    private static final long LIMIT_SECONDS = 60;

    final Path folder;
    final Path home;
    final Path shared;
    final Path logs;
    final CollectorRegistry registry = new CollectorRegistry();
    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<Run> heard = new LinkedBlockingQueue<>();
    final DockerEngine engine;
    final Node node;

    TestDocker(Path folder, String host) throws IOException {
        this(folder, host, Path.of("/"));
    }

    TestDocker(Path folder, String host, Path root) throws IOException {
        this(folder, settings(folder, host, root));
    }

    TestDocker(Path folder, DockerEngine.Settings settings) throws IOException {
        this.folder = folder;
        this.home = Files.createDirectories(folder.resolve("homes/ann"));
        this.shared = Files.createDirectories(folder.resolve("shared"));
        this.logs = Files.createDirectories(folder.resolve("logs"));
        this.engine = DockerEngine.open(vertx, settings, registry, List::of).await();
        this.node = engine.inventory().await().nodes().getFirst();
        var unused = engine.watch(heard::add);
    }

    static DockerEngine.Settings settings(Path folder, String host, Path root) {
        return new DockerEngine.Settings(
                folder.resolve("engine"),
                host,
                null,
                folder.resolve("homes"),
                folder.resolve("shared"),
                List.of(),
                root,
                "198.19.0.0/16");
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public Path logs() {
        return logs;
    }

    @Override
    public Task task(String name, String script) {
        return task(name, script, TestDaemon.IMAGE, Map.of(), Map.of(), 0);
    }

    Task task(
            String name,
            String script,
            String image,
            Map<String, String> labels,
            Map<String, String> environment,
            int memoryMB) {
        var all = new java.util.HashMap<>(Map.of("job", "j1", "role", "wörker"));
        all.putAll(labels);
        return new Task(
                name,
                all,
                node.name(),
                script,
                environment,
                new Task.Image(image, null, null),
                1,
                memoryMB,
                64,
                List.of(),
                Map.of(),
                List.of(new Task.Mount(home, "/userhome", false), new Task.Mount(shared, "/gdata", true)),
                logs.resolve(name));
    }

    @Override
    public Run start(Task task) {
        var started = engine.start(task).await();
        assertThat(started).isInstanceOf(Started.Running.class);
        return ((Started.Running) started).run();
    }

    @Override
    public Run run(String name, String script) {
        start(task(name, script));
        return over(name);
    }

    @Override
    public Run over(String name) {
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

    @Override
    public Run seen(String name) {
        return engine.list().await().stream()
                .filter(run -> run.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public String log(String name) {
        try {
            var log = logs.resolve(name);
            return Files.exists(log) ? Files.readString(log) : "";
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void until(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS); !condition.getAsBoolean(); ) {
            assertThat(System.nanoTime()).as("waited in vain: " + what).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    @Override
    public void untilLogged(String name, String text) {
        until(text + " in the log of " + name, () -> log(name).contains(text));
    }

    /** As a gateway that ends: what runs goes on. */
    void leave() {
        engine.close().await();
        vertx.close().await();
    }

    @Override
    public void close() {
        Engine all = engine;
        for (var run : all.list().await()) {
            all.stop(run.name(), Duration.ZERO).await();
        }
        until("all to be over", () -> all.list().await().stream().allMatch(Run::isOver));
        all.list().await().forEach(run -> all.remove(run.name()).await());
        leave();
    }
}
