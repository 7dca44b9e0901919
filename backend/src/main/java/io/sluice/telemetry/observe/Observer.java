package io.sluice.telemetry.observe;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.lists.Holder;
import io.sluice.telemetry.collect.DeviceWatch;
import io.sluice.telemetry.collect.Known;
import io.sluice.telemetry.collect.Simulator;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.sluice.telemetry.tasks.TaskProbe;
import io.sluice.telemetry.tasks.Usage;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks at everything once a round, and gives the picture to whoever listens. A step that fails costs its part of the picture, and no more. */
public final class Observer {
    private static final System.Logger LOG = System.getLogger(Observer.class.getName());
    private static final Duration ANSWER = Duration.ofSeconds(3);

    private final Jobs jobs;
    private final Engine engine;
    private final DeviceWatch watch;
    private final Duration pause;
    private final ObserveMetrics metrics;
    private final Simulator simulator = new Simulator();
    private final Activity activity = new Activity();
    private final Strangers strangers = new Strangers();
    private final List<Consumer<Observation>> listeners = new CopyOnWriteArrayList<>();
    private volatile Observation now = Observation.NOTHING;
    private volatile boolean closed;
    private @Nullable Thread thread;
    private @Nullable TaskProbe probe;
    /** Not known until it was read: what is held must not look free. */
    private @Nullable List<Holder> holders;

    private Inventory inventory = new Inventory(List.of());

    public Observer(Jobs jobs, Engine engine, DeviceWatch watch, Duration pause, CollectorRegistry registry) {
        this.jobs = jobs;
        this.engine = engine;
        this.watch = watch;
        this.pause = pause;
        this.metrics = new ObserveMetrics(registry);
    }

    /** Called after each round, on the observer's thread. */
    public void listen(Consumer<Observation> listener) {
        listeners.add(listener);
    }

    public Observation now() {
        return now;
    }

    public void start() {
        thread = Thread.ofVirtual().name("telemetry").start(this::repeat);
    }

    private void repeat() {
        while (!closed) {
            long from = System.nanoTime();
            step("round", () -> {
                round(Instant.now());
                return null;
            });
            metrics.round(System.nanoTime() - from);
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    void round(Instant at) {
        inventory = step("inventory", () -> await(jobs.inventory())).orElse(inventory);
        List<Holder> held = step("holders", () -> await(jobs.lists().holders())).orElse(holders);
        holders = held;
        if (held != null) {
            look(held, at);
        }
    }

    private void look(List<Holder> holders, Instant at) {
        Map<String, Usage> usages = step("tasks", this::usages).orElse(Map.of());
        Map<Long, Doing> doings = activity.doings(holders, usages, at);
        Known known = watch.now();
        var held = new HashMap<String, Holder>();
        holders.forEach(holder -> holder.devices().forEach(device -> held.put(holder.node() + "/" + device, holder)));
        var seen = new ArrayList<Seen>();
        for (Node node : inventory.nodes()) {
            seen.addAll(seen(node, known, held, doings, at));
        }
        if (strangers.look(seen, known, usages, at)) {
            watch.look();
        }
        watch.occupied(strangers.occupied());
        now = new Observation(
                at, inventory.nodes(), seen, List.copyOf(doings.values()), known.vendors(), strangers.left());
        listeners.forEach(listener -> step("listener", () -> {
            listener.accept(now);
            return null;
        }));
    }

    private List<Seen> seen(Node node, Known known, Map<String, Holder> held, Map<Long, Doing> doings, Instant at) {
        var work = new HashMap<String, Simulator.Work>();
        for (Device device : node.devices()) {
            Holder holder = held.get(node.name() + "/" + device.id());
            if (device.simulated() && holder != null && holder.launched() != null) {
                Doing doing = doings.get(holder.task());
                work.put(
                        device.id(),
                        new Simulator.Work(holder.task(), holder.launched(), doing == null || doing.busy()));
            }
        }
        Map<String, Reading> simulated = simulator.look(node.devices(), work, at);
        var told = new Join(known);
        return node.devices().stream()
                .map(device -> {
                    Holder holder = held.get(node.name() + "/" + device.id());
                    Reading made = simulated.get(device.id());
                    Known.Device own = made == null ? told.of(device) : null;
                    return made != null
                            ? new Seen(node.name(), device, made, true, holder)
                            : new Seen(
                                    node.name(),
                                    device,
                                    own == null ? null : own.reading(),
                                    own != null && own.current(),
                                    holder);
                })
                .toList();
    }

    private Map<String, Usage> usages() throws Exception {
        TaskProbe known = probe == null ? TaskProbe.open() : probe;
        probe = known;
        return known.look(await(engine.processes()));
    }

    private <T> java.util.Optional<T> step(String name, Callable<@Nullable T> step) {
        try {
            return java.util.Optional.ofNullable(step.call());
        } catch (InterruptedException e) {
            closed = true;
        } catch (IOException e) {
            failed(name, e);
        } catch (Exception e) {
            failed(name, e);
        }
        return java.util.Optional.empty();
    }

    private void failed(String name, Exception e) {
        metrics.failed(name);
        if (!closed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "event=telemetry-step-failed step={0} cause={1} effect=this part of the picture is old",
                    name,
                    e.toString());
        }
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    }

    public void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
