package io.sluice.engines.docker;

import com.github.dockerjava.api.exception.DockerException;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Command;
import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.sluice.engines.Failpoints;
import io.sluice.engines.Inventory;
import io.sluice.engines.Run;
import io.sluice.engines.Started;
import io.sluice.engines.Subscription;
import io.sluice.engines.Task;
import io.sluice.engines.docker.devices.Devices;
import io.sluice.engines.docker.exec.Execs;
import io.sluice.engines.docker.fence.Firewall;
import io.sluice.engines.docker.images.Images;
import io.sluice.engines.docker.images.SavedImages;
import io.sluice.engines.docker.images.Saving;
import io.sluice.engines.docker.limits.Disk;
import io.sluice.engines.docker.limits.Limits;
import io.sluice.engines.docker.networks.Networks;
import io.sluice.engines.docker.wire.Address;
import io.sluice.engines.docker.wire.Daemon;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Runs tasks as containers of a Docker engine, which outlive the gateway. What is known of a run is its container; only
 * the intent to stop one is kept beside it.
 */
public final class DockerEngine implements Engine {

    private static final Logger log = System.getLogger(DockerEngine.class.getName());
    private static final int TURNS = 64;
    private static final Duration PROBE = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final Daemon daemon;
    private final DockerMetrics metrics;
    private final Images images;
    private final Networks networks;
    private final Stops stops;
    private final Boot boot;
    private final Creation creation;
    private final Starts starts;
    private final Ends ends;
    private final Containers containers;
    private final Watch watch;
    private final Upkeep upkeep;
    private final Doors doors;
    private final Execs execs;
    private final SavedImages saved;
    private final Saving saving;

    private volatile boolean closed;
    private final List<ReentrantLock> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new ReentrantLock()).toList();

    private DockerEngine(
            Vertx vertx, DockerSettings settings, CollectorRegistry registry, Supplier<List<Device>> watched)
            throws IOException {
        var folder = Files.createDirectories(settings.folder());
        var failpoints = Failpoints.ofEnvironment();
        boolean asRoot = Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        var devices = Devices.find(settings.root(), settings.simulatedDevices());
        var disk = new Disk(settings.diskBytes());
        var policy = new Policy(settings, devices, new Limits(disk));
        this.vertx = vertx;
        this.metrics = new DockerMetrics(registry);
        this.daemon = new Daemon(vertx, Address.of(settings.host(), settings.certificates()), folder, registry);
        this.images = new Images(
                daemon,
                registry,
                folder.resolve("guarded-images"),
                settings.fence().registries());
        var id = Upkeep.id(folder);
        var fence = settings.fence();
        var firewall = new Firewall(
                new Firewall.Settings(settings.networks(), id, asRoot, fence.kept(), fence.open()),
                () -> metrics.fault("firewall"));
        this.stops = new Stops(folder.resolve("stops"));
        var outages = new Outages(folder, then -> Past.since(daemon, then));
        this.upkeep = new Upkeep(daemon, devices, watched, outages, metrics, firewall, disk);
        this.networks = new Networks(
                daemon,
                new Networks.Settings(id, settings.networks(), folder),
                upkeep::info,
                () -> metrics.fault("holder"),
                registry);
        this.containers = new Containers(daemon, stops, outages, networks);
        this.boot = new Boot(daemon, folder.resolve("runs"), asRoot);
        this.creation = new Creation(daemon, policy, disk, boot, networks, containers, failpoints, asRoot);
        this.starts = new Starts(policy, images, creation, stops, containers, upkeep);
        this.ends = new Ends(starts, creation, stops, containers, failpoints);
        this.doors = new Doors(daemon, upkeep, containers);
        this.saved = new SavedImages(daemon, folder.resolve("saves"));
        this.saving = new Saving(daemon, saved, registry);
        this.execs = new Execs(daemon, metrics::execs);
        this.watch = new Watch(daemon, containers, metrics, this::looked, upkeep::missed, upkeep::unheard);
    }

    /**
     * Takes over what an earlier gateway started. An engine that does not answer now is waited for.
     *
     * @param watched what is known of this machine's devices at the moment
     * @throws IllegalArgumentException when the settings are wrong
     */
    public static Future<DockerEngine> open(
            Vertx vertx, DockerSettings settings, CollectorRegistry registry, Supplier<List<Device>> watched) {
        settings.check();
        return Daemon.apart(() -> {
            var engine = new DockerEngine(vertx, settings, registry, watched);
            engine.upkeep.greet();
            engine.watch.begin();
            return engine;
        });
    }

    /** Whether an engine answers there, at once. */
    public static Future<Boolean> answers(Vertx vertx, DockerSettings settings) {
        return Daemon.apart(() -> {
            Address address;
            try {
                address = Address.of(settings.host(), settings.certificates());
            } catch (IllegalArgumentException e) {
                return false;
            }
            if (address.socket() != null && !Files.exists(address.socket())) {
                return false;
            }
            var daemon = new Daemon(vertx, address, settings.folder(), new CollectorRegistry());
            try {
                daemon.ask("ping", PROBE, client -> client.pingCmd().exec());
                return true;
            } catch (DockerException | Unavailable e) {
                return false;
            } finally {
                daemon.close();
            }
        });
    }

    @Override
    public String kind() {
        return "docker";
    }

    @Override
    public Future<Inventory> inventory() {
        var node = upkeep.node();
        return node == null
                ? Future.failedFuture(new Unavailable(upkeep.silence(), null))
                : Future.succeededFuture(new Inventory(List.of(node)));
    }

    @Override
    public Future<Started> start(Task task) {
        long from = System.nanoTime();
        return daemon.run(() -> {
            var turn = turn(task.name());
            turn.lock();
            try {
                var started = starts.begin(task);
                metrics.started(
                        switch (started) {
                            case Started.Running running -> running.again() ? "again" : "started";
                            case Started.Preparing later -> "preparing";
                            case Started.Refused refused ->
                                refused.reason().name().toLowerCase(Locale.ROOT);
                        },
                        System.nanoTime() - from);
                return started;
            } finally {
                turn.unlock();
            }
        });
    }

    @Override
    public Future<Void> stop(String name, Duration grace) {
        return daemon.<Void>run(() -> {
                    var turn = turn(name);
                    turn.lock();
                    try {
                        ends.ask(name, grace).ifPresent(watch::tell);
                    } finally {
                        turn.unlock();
                    }
                    return null;
                })
                .onSuccess(asked -> vertx.setTimer(Math.max(1, grace.toMillis()), late -> {
                    if (!closed) {
                        daemon.<Void>run(() -> {
                                    ends.force(name);
                                    return null;
                                })
                                .onFailure(e -> watch.ring());
                    }
                }));
    }

    @Override
    public Future<List<Run>> list() {
        return daemon.run(containers::all);
    }

    @Override
    public Future<Map<String, Long>> processes() {
        return daemon.run(containers::processes);
    }

    @Override
    public Future<Optional<SocketAddress>> reach(String name, int port) {
        return doors.reach(name, port);
    }

    @Override
    public boolean hasOwnLoopback() {
        return true;
    }

    @Override
    public Future<SocketAddress> port(String name) {
        return doors.port(name);
    }

    @Override
    public Subscription watch(Consumer<Run> changed) {
        return watch.watch(changed);
    }

    @Override
    public Future<Void> remove(String name) {
        return daemon.run(() -> {
            var turn = turn(name);
            turn.lock();
            try {
                var found = containers.find(name).filter(container -> Containers.isOf(container, name));
                if (found.isPresent()) {
                    if (!containers.read(found.get()).isOver()) {
                        throw new IllegalStateException("it is not over: " + name);
                    }
                    creation.discard(found.get());
                }
                stops.forget(name);
                starts.giveUp(name);
                watch.forget(name);
                return null;
            } finally {
                turn.unlock();
            }
        });
    }

    @Override
    public Future<Exec> exec(String name, Command command) {
        var context = vertx.getOrCreateContext();
        return daemon.run(() -> execs.start(
                containers
                        .find(name)
                        .filter(container -> Containers.isOf(container, name))
                        .filter(container ->
                                Boolean.TRUE.equals(container.getState().getRunning()))
                        .orElseThrow(() -> new IllegalStateException("it does not run: " + name))
                        .getId(),
                command,
                context));
    }

    @Override
    public boolean keeps() {
        return true;
    }

    @Override
    public Future<Kept> keep(String name, String chosen, String origin) {
        return daemon.run(() -> {
            var container = containers
                    .find(name)
                    .filter(one -> Containers.isOf(one, name))
                    .filter(one -> Boolean.TRUE.equals(one.getState().getRunning()))
                    .orElseThrow(() -> new NotKept(NotKept.Why.GONE, "The task does not run any more."));
            var owner = Containers.labels(container).get(Containers.LABEL + Task.OWNER);
            if (owner == null) {
                throw new NotKept(
                        NotKept.Why.IMPOSSIBLE,
                        "The task was begun by a gateway that did not save images yet. Start its job again.");
            }
            return saving.keep(container.getId(), String.valueOf(container.getImageId()), owner, chosen, origin);
        });
    }

    @Override
    public Future<List<Saved>> saved(String beginning) {
        return daemon.run(() -> saved.all(beginning));
    }

    @Override
    public Future<Void> drop(String image, boolean failed) {
        return daemon.run(() -> {
            saved.drop(image, failed);
            return null;
        });
    }

    @Override
    public Future<Void> close() {
        closed = true;
        watch.close();
        images.close();
        return daemon.<Void>run(() -> {
                    networks.close();
                    return null;
                })
                .eventually(() -> {
                    daemon.close();
                    return Future.succeededFuture();
                });
    }

    private void looked(List<Run> all) {
        try {
            upkeep.looked();
            ends.goOn(all);
            saved.mend();
            images.expire();
            doors.keep(all.stream().map(Run::name).toList());
            if (upkeep.isTimeToSweep()) {
                networks.sweep();
                boot.sweep(all.stream().map(Run::name).collect(Collectors.toSet()));
            }
            networks.look();
        } catch (IOException e) {
            metrics.fault("stops");
            log.log(Level.ERROR, "engine=fault work=stops cause=\"{0}\"", e.getMessage());
        }
    }

    private ReentrantLock turn(String name) {
        return turns.get(Math.floorMod(name.hashCode(), TURNS));
    }
}
