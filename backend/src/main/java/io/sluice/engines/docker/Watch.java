package io.sluice.engines.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.Event;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Run;
import io.sluice.engines.Subscription;
import io.sluice.engines.docker.wire.Daemon;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Notices what becomes of runs: at once where the engine tells, and by looking, for what it does not. */
final class Watch {

    private static final Logger log = System.getLogger(Watch.class.getName());
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Daemon daemon;
    private final Containers containers;
    private final DockerMetrics metrics;
    private final Consumer<List<Run>> looked;
    private final Consumer<Throwable> missed;
    private final Runnable unheard;
    private final List<Consumer<Run>> watchers = new CopyOnWriteArrayList<>();
    private final Map<String, Run.State> told = new ConcurrentHashMap<>();
    private final Semaphore rung = new Semaphore(0);
    private volatile boolean closed;
    private volatile Events events = new Events();

    /**
     * @param looked hears of every run there is, each time
     * @param missed hears that the engine did not answer
     * @param unheard hears that what the engine tells has ended
     */
    Watch(
            Daemon daemon,
            Containers containers,
            DockerMetrics metrics,
            Consumer<List<Run>> looked,
            Consumer<Throwable> missed,
            Runnable unheard) {
        this.daemon = daemon;
        this.containers = containers;
        this.metrics = metrics;
        this.looked = looked;
        this.missed = missed;
        this.unheard = unheard;
    }

    void begin() {
        Thread.ofVirtual().name("sluice-docker-look").start(this::look);
        Thread.ofVirtual().name("sluice-docker-events").start(this::listen);
    }

    void close() {
        closed = true;
        rung.release();
        events.end();
    }

    Subscription watch(Consumer<Run> changed) {
        watchers.add(changed);
        return () -> watchers.remove(changed);
    }

    /** Looks soon. */
    void ring() {
        if (rung.availablePermits() == 0) {
            rung.release();
        }
    }

    private void look() {
        try {
            while (!closed) {
                lookOnce();
                var unused = rung.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            log.log(Level.DEBUG, "engine=closed");
        }
    }

    private void lookOnce() {
        try {
            var all = containers.all();
            var now = new HashMap<String, Run.State>();
            all.forEach(run -> now.put(run.name(), run.state()));
            all.forEach(this::tell);
            told.keySet().retainAll(now.keySet());
            metrics.running((int) all.stream().filter(run -> !run.isOver()).count());
            looked.accept(all);
        } catch (DockerException | Unavailable e) {
            missed.accept(e);
        } catch (IOException | RuntimeException e) {
            fault("look", e);
        }
    }

    private void listen() {
        while (!closed) {
            var stream = new Events();
            events = stream;
            try {
                daemon.client()
                        .eventsCmd()
                        .withLabelFilter(Containers.RUN)
                        .withEventFilter("start", "die", "destroy")
                        .exec(stream);
                ring();
                stream.awaitCompletion();
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                log.log(Level.DEBUG, "engine=unheard cause=\"{0}\"", e.getMessage());
            }
            if (!closed) {
                unheard.run();
                ring();
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** Tells of a change, once. */
    void tell(Run run) {
        if (run.state() == told.put(run.name(), run.state())) {
            return;
        }
        if (run.isOver()) {
            metrics.ended(run.state().name().toLowerCase(Locale.ROOT));
        }
        for (var watcher : watchers) {
            try {
                watcher.accept(run);
            } catch (RuntimeException e) {
                fault("tell", e);
            }
        }
    }

    void forget(String run) {
        told.remove(run);
    }

    private void fault(String work, Throwable e) {
        metrics.fault(work);
        log.log(Level.ERROR, "engine=fault work={0} cause=\"{1}\"", work, e.toString());
    }

    /** One connection on which the engine tells. */
    private final class Events extends ResultCallback.Adapter<Event> {
        @Override
        public void onNext(Event event) {
            var actor = event.getActor();
            var attributes = actor == null ? null : actor.getAttributes();
            var run = attributes == null ? null : attributes.get(Containers.RUN);
            if (run == null || "destroy".equals(event.getAction())) {
                return;
            }
            daemon.<Void>run(() -> {
                        containers.seen(run).ifPresent(Watch.this::tell);
                        return null;
                    })
                    .onFailure(e -> ring());
        }

        /** The engine went away, or never was there; looking tells. */
        @Override
        public void onError(Throwable fault) {
            log.log(Level.DEBUG, "engine=unheard cause=\"{0}\"", fault.getMessage());
            end();
        }

        void end() {
            try {
                close();
            } catch (IOException e) {
                log.log(Level.DEBUG, "engine=closed cause=\"{0}\"", e.getMessage());
            }
        }
    }
}
