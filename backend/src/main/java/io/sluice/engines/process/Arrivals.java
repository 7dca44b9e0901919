package io.sluice.engines.process;

import io.sluice.engines.Run;
import io.sluice.engines.Subscription;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Notices ends: at once where the kernel tells of the file that says so, and by looking, for those that leave none. */
final class Arrivals {

    private static final Logger log = System.getLogger(Arrivals.class.getName());
    private static final long LOOK_MILLIS = 4_000;

    private final Vertx vertx;
    private final Worker worker;
    private final EngineMetrics metrics;
    private final Ground ground;
    private final Consumer<String> release;
    private final Set<String> expected = ConcurrentHashMap.newKeySet();
    private final List<Consumer<Run>> watchers = new CopyOnWriteArrayList<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final @Nullable WatchService kernel;
    private volatile long timer = -1;

    Arrivals(Vertx vertx, Worker worker, EngineMetrics metrics, Ground ground, Consumer<String> release) {
        this.vertx = vertx;
        this.worker = worker;
        this.metrics = metrics;
        this.ground = ground;
        this.release = release;
        this.kernel = kernel(ground.runs().ended());
    }

    void begin() {
        if (kernel != null) {
            Thread.ofPlatform().daemon().name("sluice-engine-ends").start(() -> hear(kernel));
        }
        timer = vertx.setPeriodic(LOOK_MILLIS, tick -> {
            if (looking.compareAndSet(false, true)) {
                worker.run(this::look).onFailure(e -> fault("look", e)).onComplete(done -> looking.set(false));
            }
        });
    }

    void close() {
        vertx.cancelTimer(timer);
        try {
            if (kernel != null) {
                kernel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void expect(String name) {
        expected.add(name);
        metrics.running(expected.size());
    }

    void forget(String name) {
        expected.remove(name);
        metrics.running(expected.size());
    }

    boolean isExpected(String name) {
        return expected.contains(name);
    }

    Subscription watch(Consumer<Run> changed) {
        watchers.add(changed);
        return () -> watchers.remove(changed);
    }

    void tell(Run run) {
        for (var watcher : watchers) {
            try {
                watcher.accept(run);
            } catch (RuntimeException e) {
                fault("tell", e);
            }
        }
    }

    private void hear(WatchService kernel) {
        try {
            while (true) {
                var key = kernel.take();
                for (var event : key.pollEvents()) {
                    if (event.context() instanceof Path name) {
                        worker.after(() -> settle(name.toString())).onFailure(e -> fault("settle", e));
                    }
                }
                key.reset();
            }
        } catch (ClosedWatchServiceException | InterruptedException e) {
            log.log(Level.DEBUG, "engine=closed");
        }
    }

    private Void look() {
        for (var name : expected) {
            try {
                var folder = ground.runs().find(name);
                if (folder.isEmpty() || !folder.get().runsOn()) {
                    settle(name);
                }
            } catch (IOException | RuntimeException e) {
                fault("look", e); // and the others are looked at all the same
            }
        }
        return null;
    }

    /** Tells of an end, once. */
    Void settle(String name) throws IOException {
        var folder = ground.runs().find(name);
        if (folder.isEmpty()) {
            forget(name);
            return null;
        }
        try {
            var run = folder.get().read();
            if (run.isOver() && expected.remove(name)) {
                if (run.state() == Run.State.LOST) {
                    ground.launcher().endStrays(name);
                }
                metrics.running(expected.size());
                metrics.ended(run.state().name().toLowerCase(Locale.ROOT));
                release.accept(name);
                tell(run);
            }
        } catch (NoSuchFileException removed) {
            forget(name);
        }
        return null;
    }

    /** Null where the system has no watch left to give: then only looking helps. */
    private static @Nullable WatchService kernel(Path ended) {
        try {
            var kernel = ended.getFileSystem().newWatchService();
            ended.register(kernel, StandardWatchEventKinds.ENTRY_CREATE);
            return kernel;
        } catch (IOException e) {
            log.log(Level.WARNING, "engine=unwatched cause=\"{0}\"", e.getMessage());
            return null;
        }
    }

    private void fault(String work, Throwable e) {
        metrics.fault(work);
        log.log(Level.ERROR, "engine=fault work={0} cause=\"{1}\"", work, e.getMessage());
    }
}
