package io.sluice.engines.process;

import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Command;
import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.sluice.engines.Failpoints;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import io.sluice.engines.Node.Ports;
import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Subscription;
import io.sluice.engines.Task;
import io.sluice.engines.VisibleDevices;
import io.sluice.engines.process.exec.Execs;
import io.sluice.engines.process.exec.Listeners;
import io.sluice.engines.process.ports.PortLedger;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks as processes of this machine. Each has a supervisor of its own, which outlives the gateway; what is known
 * of a run is in its folder, so that there is nothing to hand over from one gateway to the next.
 */
public final class ProcessEngine implements Engine {

    private static final Logger log = System.getLogger(ProcessEngine.class.getName());
    private static final int TURNS = 64;
    private static final int TRIES = 100;
    private static final String LOOPBACK = "127.0.0.1";

    private final Vertx vertx;
    private final Worker worker;
    private final EngineMetrics metrics;
    private final Failpoints failpoints;
    private final Ground ground;
    private final Supplier<List<Device>> found;
    private final PortLedger ports;
    private final Arrivals arrivals;
    private final Stops stops;
    private final Adoption adoption;
    private final Execs execs;

    /** Whose supervisors are on their way, or there. */
    private final Set<String> launched = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private final List<Object> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new Object()).toList();

    private ProcessEngine(
            Vertx vertx, Worker worker, EngineMetrics metrics, Ground ground, Supplier<List<Device>> found)
            throws IOException {
        this.vertx = vertx;
        this.found = found;
        this.worker = worker;
        this.metrics = metrics;
        this.failpoints = Failpoints.ofEnvironment();
        this.ground = ground;
        this.ports = new PortLedger(this::isOver);
        this.arrivals = new Arrivals(vertx, worker, metrics, ground, ports::release);
        this.stops = new Stops(ground, arrivals, failpoints);
        this.adoption = new Adoption(metrics, this::adopt);
        this.execs = new Execs(ground.launcher().programs(), Launcher.PATH, metrics::execs);
    }

    /**
     * Finds out what this machine allows, and takes over what an earlier gateway started.
     *
     * @throws IllegalArgumentException when the settings are wrong
     */
    public static Future<ProcessEngine> open(Vertx vertx, Settings settings, CollectorRegistry registry) {
        return open(vertx, settings, registry, List::of);
    }

    /** @param found the devices that the machine has, besides simulated ones; asked often, and never to wait */
    public static Future<ProcessEngine> open(
            Vertx vertx, Settings settings, CollectorRegistry registry, Supplier<List<Device>> found) {
        var metrics = new EngineMetrics(registry);
        var worker = new Worker(vertx, metrics);
        return worker.open(() -> {
                    var engine = new ProcessEngine(vertx, worker, metrics, Ground.find(settings, metrics), found);
                    engine.adopt();
                    return engine;
                })
                .recover(e -> worker.close().transform(closed -> Future.failedFuture(e)));
    }

    @Override
    public String kind() {
        return "process";
    }

    @Override
    public Future<Inventory> inventory() {
        return Future.succeededFuture(new Inventory(List.of(node())));
    }

    @Override
    public Future<Started> start(Task task) {
        long from = System.nanoTime();
        return worker.<Started>run(adoption.over(), () -> {
                    Started started;
                    synchronized (turn(task.name())) {
                        started = begin(task);
                    }
                    metrics.started(
                            switch (started) {
                                case Started.Running running -> running.again() ? "again" : "started";
                                case Started.Preparing later -> "preparing";
                                case Started.Refused refused ->
                                    refused.reason().name().toLowerCase(Locale.ROOT);
                            },
                            System.nanoTime() - from);
                    if (started instanceof Started.Running running && !running.again()) {
                        arrivals.tell(running.run());
                    }
                    return started;
                })
                .recover(adoption::explain);
    }

    @Override
    public Future<Void> stop(String name, Duration grace) {
        return worker.<Void>run(() -> {
                    synchronized (turn(name)) {
                        stops.ask(name, grace);
                    }
                    return null;
                })
                .onSuccess(asked -> vertx.setTimer(grace.plus(Stops.PATIENCE).toMillis(), late -> {
                    if (!closed) {
                        worker.run(() -> stops.force(name)).onFailure(e -> fault("force", name, e));
                    }
                }));
    }

    @Override
    public Future<List<Run>> list() {
        return worker.run(() -> {
            var all = new ArrayList<Run>();
            for (var folder : ground.runs().all()) {
                try {
                    var run = folder.read();
                    if (run.state() == State.LOST && arrivals.isExpected(run.name())) {
                        ground.launcher().endStrays(run.name());
                    }
                    all.add(run);
                } catch (NoSuchFileException removed) {
                    log.log(Level.DEBUG, "run=removed name={0}", folder.name());
                }
            }
            return List.copyOf(all);
        });
    }

    @Override
    public Future<Map<String, Long>> processes() {
        return worker.run(() -> {
            var all = new HashMap<String, Long>();
            for (var folder : ground.runs().unended()) {
                if (folder.runsOn()) {
                    var first = folder.first();
                    folder.claim()
                            .map(claim -> first.orElse(claim.supervisor()).pid())
                            .ifPresent(pid -> all.put(folder.name(), pid));
                }
            }
            return Map.copyOf(all);
        });
    }

    @Override
    public Subscription watch(Consumer<Run> changed) {
        return arrivals.watch(changed);
    }

    @Override
    public Future<Void> remove(String name) {
        return worker.after(() -> {
            synchronized (turn(name)) {
                var folder = ground.runs().find(name);
                if (folder.isPresent() && !folder.get().read().isOver()) {
                    throw new IllegalStateException("it is not over: " + name);
                }
                ground.runs().remove(name);
                ground.launcher().forget(name);
                ports.release(name);
                arrivals.forget(name);
                ground.cgroups().takeBack(name);
            }
            return null;
        });
    }

    @Override
    public Future<Exec> exec(String name, Command command) {
        var context = vertx.getOrCreateContext();
        return Execs.onceBegun(
                vertx,
                () -> worker.run(() -> {
                    if (isOnItsWay(name)) {
                        return Optional.empty();
                    }
                    var run = ground.runs().running(name);
                    return run.hasBegun()
                            ? Optional.of(execs.start(
                                    run.path(), run.living().pid(), command, context, next -> exec(name, next)))
                            : Optional.empty();
                }));
    }

    @Override
    public Future<Optional<SocketAddress>> reach(String name, int port) {
        return worker.run(() -> {
            if (isOnItsWay(name)) {
                return Optional.empty();
            }
            var living = ground.runs().running(name).living();
            return Listeners.find(port, ground.launcher().membership(name, living))
                    .map(host -> SocketAddress.inetSocketAddress(port, host));
        });
    }

    @Override
    public Future<SocketAddress> port(String name) {
        return worker.run(adoption.over(), () -> {
            if (!isOnItsWay(name)) {
                ground.runs().running(name);
            }
            var range = ground.node().ports();
            for (int tries = 0; tries < TRIES; tries++) {
                int port = ThreadLocalRandom.current().nextInt(range.first(), range.last() + 1);
                if (ports.reserve(name, List.of(port)).isEmpty()) {
                    return SocketAddress.inetSocketAddress(port, LOOPBACK);
                }
            }
            throw new Unavailable("no port is free on " + ground.node().name(), null);
        });
    }

    @Override
    public Future<Void> close() {
        closed = true;
        adoption.close();
        arrivals.close();
        return worker.run(() -> {
                    ground.launcher().close();
                    return ground.cgroups().close();
                })
                .eventually(worker::close);
    }

    /** With the devices that the machine has at present. */
    private Node node() {
        List<Device> there = found.get();
        return there.isEmpty() ? ground.node() : ground.node().with(there);
    }

    private Started begin(Task task) throws IOException {
        var known = ground.runs().find(task.name());
        if (known.isPresent()) {
            var run = known.get().read();
            if (run.state() != State.CREATED || launched.contains(task.name())) {
                return new Started.Running(run, true);
            }
        }
        try {
            var refusal = ground.refusal(task, node()).or(() -> taken(task));
            return refusal.isPresent() ? refused(task, refusal.get()) : launch(equipped(task), known);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Whatever its author wrote: computing on a device that is another's would be a mistake that nobody sees. */
    private Task equipped(Task task) {
        return task.with(VisibleDevices.variables(node().devices(), task.devices()));
    }

    private Optional<Started.Refused> taken(Task task) {
        try {
            var all = task.ports().values().stream().flatMap(List::stream).toList();
            return ports.reserve(task.name(), all)
                    .map(port -> PortLedger.isOwn(port)
                            ? new Started.Refused(
                                    Reason.PORT_OWN, "port " + port + " is the gateway's own: ask for another")
                            : new Started.Refused(Reason.PORT_TAKEN, "port " + port + " is in use"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Started launch(Task task, Optional<RunFolder> known) throws IOException {
        try {
            var grant = ground.cgroups().grant(task);
            var folder = known.isPresent()
                    ? known.get()
                    : ground.runs().create(task, ground.launcher().files(task, grant));
            failpoints.reach("engine.afterCreate");
            var supervisor = ground.launcher().launch(folder, task, grant);
            failpoints.reach("engine.afterStart");
            launched.add(task.name());
            arrivals.expect(task.name());
            var unused = supervisor.thenAccept(ended ->
                    worker.after(() -> supervisorEnded(folder)).onFailure(e -> fault("settle", task.name(), e)));
            return new Started.Running(
                    new Run(task.name(), task.labels(), State.RUNNING, null, null, false, Instant.now(), null, null),
                    false);
        } catch (IOException e) {
            return refused(task, new Started.Refused(Reason.FULL, Ground.reason(e)));
        }
    }

    /** Nothing is kept of what was refused, unless a supervisor has it already. */
    private Started refused(Task task, Started.Refused refusal) throws IOException {
        var folder = ground.runs().find(task.name());
        if (folder.isPresent() && !folder.get().claimForNobody()) {
            return new Started.Running(folder.get().read(), true);
        }
        ground.runs().remove(task.name());
        ground.launcher().forget(task.name());
        ground.cgroups().takeBack(task.name());
        ports.release(task.name());
        return refusal;
    }

    private Void supervisorEnded(RunFolder folder) throws IOException {
        launched.remove(folder.name());
        synchronized (turn(folder.name())) {
            stops.neverBegan(folder);
        }
        Stops.endInside(folder);
        if (folder.couldNotBegin()) {
            ground.doubt();
        }
        return arrivals.settle(folder.name());
    }

    private void adopt() throws IOException {
        var found = ground.runs().unended();
        found.forEach(run -> arrivals.expect(run.name()));
        arrivals.begin();
        adoption.begin(found, this::tidy);
    }

    private void adopt(RunFolder folder) throws IOException {
        synchronized (turn(folder.name())) {
            if (folder.read().isOver()) {
                arrivals.settle(folder.name());
                return;
            }
            ports.hold(folder.name(), folder.ports());
            if (folder.isAskedToStop()) {
                stops.carryOut(folder);
            }
        }
    }

    /** What an earlier gateway did not come to. */
    private void tidy() {
        try {
            ground.runs().clear();
            for (var name : ground.launcher().given()) {
                synchronized (turn(name)) {
                    if (ground.runs().find(name).isEmpty()) {
                        ground.launcher().forget(name);
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            fault("tidy", "all", e);
        }
    }

    /** Its supervisor has been sent off and has not come yet. */
    private boolean isOnItsWay(String name) throws IOException {
        var folder = ground.runs().find(name);
        return launched.contains(name)
                && folder.isPresent()
                && folder.get().claim().isEmpty();
    }

    private boolean isOver(String name) {
        try {
            var folder = ground.runs().find(name);
            return folder.isEmpty() || folder.get().read().isOver();
        } catch (IOException e) {
            return false;
        }
    }

    private Object turn(String name) {
        return turns.get(Math.floorMod(name.hashCode(), TURNS));
    }

    private void fault(String work, String name, Throwable e) {
        metrics.fault(work);
        log.log(Level.ERROR, "engine=fault work={0} run={1} cause=\"{2}\"", work, name, e.getMessage());
    }

    /**
     * @param folder in which the engine keeps what is its own
     * @param hidden folders that no task may see, as the gateway's data; a folder inside that is given to a task is seen there
     * @param simulatedDevices as {@code 8xAscend910B,4xH100}; empty = none
     * @param ports that tasks may be given; null = what the system gives to nobody
     */
    public record Settings(
            Path folder,
            List<Path> hidden,
            String simulatedDevices,
            @Nullable Ports ports) {

        public Settings {
            folder = folder.toAbsolutePath().normalize();
            hidden = hidden.stream()
                    .map(path -> path.toAbsolutePath().normalize())
                    .toList();
        }

        /** @throws IllegalArgumentException with one line that says what is allowed */
        public List<Device> devices() {
            return SimulatedDevices.of(simulatedDevices);
        }
    }
}
