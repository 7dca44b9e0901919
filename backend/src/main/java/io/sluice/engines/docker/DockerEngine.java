package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Info;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Device;
import io.sluice.engines.Engine;
import io.sluice.engines.Failpoints;
import io.sluice.engines.Inventory;
import io.sluice.engines.Run;
import io.sluice.engines.Run.State;
import io.sluice.engines.Started;
import io.sluice.engines.Started.Reason;
import io.sluice.engines.Subscription;
import io.sluice.engines.Task;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
    private final Failpoints failpoints = Failpoints.ofEnvironment();
    private final Policy policy;
    private final Images images;
    private final Boot boot;
    private final Networks networks;
    private final Stops stops;
    private final Containers containers;
    private final Watch watch;
    private final Upkeep upkeep;
    private final boolean asRoot;

    /** What waits for its image, with its labels. */
    private final Map<String, Map<String, String>> preparing = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private final List<ReentrantLock> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new ReentrantLock()).toList();

    private DockerEngine(Vertx vertx, Settings settings, DockerMetrics metrics) throws IOException {
        var folder = Files.createDirectories(settings.folder());
        this.vertx = vertx;
        this.metrics = metrics;
        this.daemon = new Daemon(vertx, Address.of(settings.host(), settings.certificates()), folder, metrics);
        var devices = Devices.find(settings.root(), settings.simulatedDevices());
        this.policy = new Policy(settings, devices);
        this.images = new Images(daemon, metrics, folder.resolve("guarded-images"));
        this.boot = new Boot(daemon);
        this.networks = new Networks(daemon, Upkeep.id(folder), settings.networks());
        this.stops = new Stops(folder.resolve("stops"));
        var outages = new Containers.Outages();
        this.containers = new Containers(daemon, stops, outages::has);
        this.asRoot = Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        this.upkeep = new Upkeep(daemon, devices, outages, metrics, new Firewall(settings.networks(), asRoot, metrics));
        this.watch = new Watch(daemon, containers, metrics, this::looked, upkeep::missed);
    }

    /**
     * Takes over what an earlier gateway started. An engine that does not answer now is waited for.
     *
     * @throws IllegalArgumentException when the settings are wrong
     */
    public static Future<DockerEngine> open(Vertx vertx, Settings settings, CollectorRegistry registry) {
        settings.check();
        return vertx.executeBlocking(
                () -> {
                    var engine = new DockerEngine(vertx, settings, new DockerMetrics(registry));
                    engine.upkeep.greet();
                    engine.watch.begin();
                    return engine;
                },
                false);
    }

    /** Whether an engine answers there, at once. */
    public static Future<Boolean> answers(Vertx vertx, Settings settings) {
        return vertx.executeBlocking(
                () -> {
                    Address address;
                    try {
                        address = Address.of(settings.host(), settings.certificates());
                    } catch (IllegalArgumentException e) {
                        return false;
                    }
                    if (address.socket() != null && !Files.exists(address.socket())) {
                        return false;
                    }
                    var daemon =
                            new Daemon(vertx, address, settings.folder(), new DockerMetrics(new CollectorRegistry()));
                    try {
                        daemon.ask("ping", PROBE, client -> client.pingCmd().exec());
                        return true;
                    } catch (DockerException | Unavailable e) {
                        return false;
                    } finally {
                        daemon.close();
                    }
                },
                false);
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
                var started = begin(task);
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
                        askToStop(name, grace);
                    } finally {
                        turn.unlock();
                    }
                    return null;
                })
                .onSuccess(asked -> vertx.setTimer(Math.max(1, grace.toMillis()), late -> {
                    if (!closed) {
                        daemon.run(() -> force(name)).onFailure(e -> watch.ring());
                    }
                }));
    }

    @Override
    public Future<List<Run>> list() {
        return daemon.run(containers::all);
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
                    discard(found.get());
                }
                stops.forget(name);
                preparing.remove(name);
                watch.forget(name);
                return null;
            } finally {
                turn.unlock();
            }
        });
    }

    @Override
    public Future<Void> close() {
        closed = true;
        watch.close();
        images.close();
        daemon.close();
        return Future.succeededFuture();
    }

    private Started begin(Task task) throws IOException {
        var found = containers.find(task.name());
        if (found.isPresent() && !Containers.isOf(found.get(), task.name())) {
            return new Started.Refused(
                    Reason.UNSAFE,
                    "The Docker engine has a container " + Containers.name(task.name())
                            + " that Sluice did not make. Rename or remove it.");
        }
        var stop = stops.find(task.name());
        if (found.isPresent()) {
            var run = containers.read(found.get());
            if (run.state() != State.CREATED) {
                return new Started.Running(run, true);
            }
        } else if (stop.isPresent()) {
            return new Started.Running(Containers.notBegun(task.name(), stop.get()), true);
        }
        var info = upkeep.info();
        var refusal = policy.refusal(task, Upkeep.name(info));
        if (refusal.isPresent()) {
            found.ifPresent(this::discard);
            return refusal.get();
        }
        return switch (images.ready(Objects.requireNonNull(task.image()))) {
            case Images.NotYet later -> {
                preparing.put(task.name(), task.labels());
                yield later.preparing();
            }
            case Images.Never never -> {
                preparing.remove(task.name());
                yield never.refused();
            }
            case Images.Ready ready -> {
                preparing.remove(task.name());
                yield launch(task, ready.image(), info, found);
            }
        };
    }

    private Started launch(Task task, InspectImageResponse image, Info info, Optional<InspectContainerResponse> found)
            throws IOException {
        var stranger = Upkeep.foreign(image, info);
        if (stranger.isPresent()) {
            return new Started.Refused(Reason.MISSING, stranger.get());
        }
        var group = Networks.group(task);
        String id = found.map(InspectContainerResponse::getId).orElse(null);
        try {
            var network = networks.hold(group);
            var user = policy.user(task, info);
            Policy.prepareOutput(task.output(), user, asRoot);
            if (id == null) {
                id = create(task, image, info, user, network);
                failpoints.reach("engine.afterCreate");
            }
            var own = Policy.later(task, image);
            if (!boot.fill(id, String.valueOf(image.getId()), task.script(), user.id(), user.group(), own)) {
                return refused(
                        id,
                        group,
                        Reason.MISSING,
                        "The image " + task.image() + " has no shell, /bin/bash or /bin/sh, to run the commands with.");
            }
            run(id);
            failpoints.reach("engine.afterStart");
            var run = containers.seen(task.name());
            return run.isPresent()
                    ? new Started.Running(run.get(), false)
                    : refused(id, group, Reason.AWAY, "The container was removed while it began.");
        } catch (DockerException e) {
            return refused(id, group, e);
        } finally {
            networks.release(group);
        }
    }

    private String create(Task task, InspectImageResponse image, Info info, Policy.User user, String network) {
        try {
            return daemon.ask(
                    "create",
                    Daemon.LONG,
                    client -> policy.apply(
                                    client.createContainerCmd(String.valueOf(image.getId())),
                                    task,
                                    image,
                                    info,
                                    user,
                                    network)
                            .exec()
                            .getId());
        } catch (ConflictException e) {
            // asked for before, and the answer was lost
            return containers
                    .find(task.name())
                    .filter(container -> Containers.isOf(container, task.name()))
                    .orElseThrow(() -> e)
                    .getId();
        }
    }

    private void run(String id) {
        try {
            daemon.ask(
                    "start", Daemon.LONG, client -> client.startContainerCmd(id).exec());
        } catch (NotModifiedException runs) {
            log.log(Level.DEBUG, "run=again container={0}", id);
        }
    }

    private Started refused(@Nullable String id, String group, DockerException e) {
        var said = Daemon.said(e);
        var reason = Upkeep.reason(said);
        return refused(id, group, reason, Upkeep.explained(reason, said));
    }

    private Started refused(@Nullable String id, String group, Reason reason, String message) {
        if (id != null) {
            containers.remove(id);
        }
        networks.release(group);
        try {
            networks.tidy(group);
        } finally {
            networks.keep(group);
        }
        return new Started.Refused(reason, message);
    }

    private void discard(InspectContainerResponse container) {
        containers.remove(container.getId());
        var group = Containers.labels(container).get(Networks.NETWORK);
        if (group != null) {
            networks.tidy(group);
        }
    }

    private void askToStop(String name, Duration grace) throws IOException {
        var found = containers.find(name).filter(container -> Containers.isOf(container, name));
        if (found.isEmpty()) {
            var labels = preparing.remove(name);
            if (labels != null) {
                var stop = stops.keep(name, grace, labels);
                watch.tell(Containers.notBegun(name, stop));
            }
            return;
        }
        var run = containers.read(found.get());
        if (run.isOver()) {
            return;
        }
        var stop = stops.keep(name, grace, run.labels());
        failpoints.reach("engine.afterStopIntent");
        if (run.state() == State.CREATED) {
            discard(found.get());
            watch.tell(Containers.notBegun(name, stop));
        } else {
            terminate(name);
        }
    }

    /** A stopped process hears it only when it goes on. */
    private void terminate(String name) {
        if (containers.signal(name, "SIGTERM")) {
            containers.signal(name, "SIGCONT");
        }
    }

    private Void force(String name) throws IOException {
        if (stops.find(name).isPresent()) {
            containers.signal(name, "SIGKILL");
        }
        return null;
    }

    /** What is to be done now and then; also what an earlier gateway wanted and did not come to. */
    private void looked(List<Run> all) {
        try {
            upkeep.looked();
            var now = Instant.now();
            for (var stop : stops.all().entrySet()) {
                var run = all.stream()
                        .filter(one -> one.name().equals(stop.getKey()) && one.state() == State.RUNNING)
                        .findFirst();
                if (run.isPresent()) {
                    if (now.isAfter(stop.getValue().deadline())) {
                        force(stop.getKey());
                    } else {
                        terminate(stop.getKey());
                    }
                }
            }
            images.expire();
            if (upkeep.isTimeToSweep()) {
                networks.sweep();
            }
        } catch (IOException e) {
            metrics.fault("stops");
            log.log(Level.ERROR, "engine=fault work=stops cause=\"{0}\"", e.getMessage());
        }
    }

    private ReentrantLock turn(String name) {
        return turns.get(Math.floorMod(name.hashCode(), TURNS));
    }

    /**
     * @param folder in which the engine keeps what is its own
     * @param host where the engine listens: {@code unix:///var/run/docker.sock}, or {@code tcp://} with certificates
     * @param certificates a folder with ca.pem, cert.pem and key.pem; null = none
     * @param homes each folder in it may be given to a task
     * @param shared may be given to tasks to read
     * @param simulatedDevices in place of those that there are, unless empty
     * @param root where this machine's devices are looked for: {@code /}
     * @param networks addresses that nothing else here uses, for the tasks: {@code 198.19.0.0/16}
     */
    public record Settings(
            Path folder,
            String host,
            @Nullable Path certificates,
            Path homes,
            Path shared,
            List<Device> simulatedDevices,
            Path root,
            String networks) {

        public Settings {
            folder = folder.toAbsolutePath().normalize();
            homes = homes.toAbsolutePath().normalize();
            shared = shared.toAbsolutePath().normalize();
        }

        /** @throws IllegalArgumentException with one line that says what to give instead */
        public void check() {
            var unused = Address.of(host, certificates);
            Networks.check(networks);
        }
    }
}
