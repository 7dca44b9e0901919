package io.sluice.engines.docker.networks;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.HealthCheck;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.LogConfig.LoggingType;
import com.github.dockerjava.api.model.RestartPolicy;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.networks.Held.Holder;
import io.sluice.engines.docker.wire.Daemon;
import io.sluice.engines.docker.wire.Tar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Containers of ours that do nothing but have a network's namespace: to make one, with its resolver of names, is most of what a container takes to
 * begin. A task that is alone in its network is started in such a namespace.
 */
final class Holders {

    /** At once, of tasks that run and of those to come: each has a process of the engine's beside it. */
    static final int MOST = 64;

    /** Of a container: that it is one, and of which installation. */
    static final String HOLDER = "sluice.holder";

    private static final Logger log = System.getLogger(Holders.class.getName());
    private static final String PREFIX = "sluice-holder-";
    private static final String IMAGE = "sluice-holder";
    private static final Pattern ID = Pattern.compile("sha256:[0-9a-f]{64}");
    private static final int TAG = 8;
    private static final String PROGRAM = "/wait";
    private static final int TO_RUN = 0555;
    private static final String NOBODY = "65534:65534";
    /** The engine gives none less. */
    private static final long MEMORY = 6L << 20;

    private static final long PROCESSES = 2;
    /** After one could not be made; each time twice as long. */
    private static final Duration PAUSE = Duration.ofSeconds(60);

    private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

    private final Daemon daemon;
    private final String engine;
    private final Path file;
    private final Supplier<Info> info;
    private final Runnable fault;
    private final NetworkMetrics metrics;
    private final Set<String> ids = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String image;
    private volatile Instant notBefore = Instant.EPOCH;
    private volatile Duration pause = PAUSE;

    /**
     * @param engine of which installation they are
     * @param file that keeps which image is ours
     * @param fault hears of each that could not be made
     */
    Holders(Daemon daemon, String engine, Path file, Supplier<Info> info, Runnable fault, NetworkMetrics metrics) {
        this.daemon = daemon;
        this.engine = engine;
        this.file = file;
        this.info = info;
        this.fault = fault;
        this.metrics = metrics;
    }

    /** Whether there may be one more now. */
    boolean may() {
        return ids.size() < MOST && !Instant.now().isBefore(notBefore);
    }

    /** Empty where there is none now; then tasks begin as long as that takes. */
    Optional<Holder> make(String network) {
        try {
            var known = info.get();
            var program = Waiter.of(String.valueOf(known.getArchitecture()));
            if (program.isEmpty()) {
                notBefore = Instant.MAX;
                return Optional.empty();
            }
            var made = make(network, program.get(), known);
            pause = PAUSE;
            return Optional.of(made);
        } catch (DockerException | Unavailable | UncheckedIOException e) {
            if (String.valueOf(e.getMessage()).contains("network " + network + " not found")) {
                return Optional.empty(); // somebody tidied up: the next network is another
            }
            notBefore = Instant.now().plus(pause);
            pause = pause.compareTo(LONGEST_PAUSE.dividedBy(2)) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            fault.run();
            log.log(Level.WARNING, "network={0} holder=none cause=\"{1}\"", network, e.getMessage());
            return Optional.empty();
        }
    }

    private Holder make(String network, byte[] program, Info known) {
        var name = PREFIX + Subnets.name();
        try {
            var id = create(name, network, program, known);
            ids.add(id);
            metrics.holders(ids.size());
            daemon.ask(
                    "start", Daemon.LONG, client -> client.startContainerCmd(id).exec());
            var made = daemon.ask(
                    "inspect",
                    Daemon.SHORT,
                    client -> client.inspectContainerCmd(id).exec());
            return new Holder(
                    id,
                    address(made)
                            .orElseThrow(() -> new Unavailable("The container " + name + " has no address.", null)));
        } catch (DockerException | Unavailable e) {
            forget(name);
            throw e;
        }
    }

    /** It may be there although nobody said so. */
    private void forget(String name) {
        try {
            remove(name);
        } catch (DockerException | Unavailable e) {
            log.log(Level.DEBUG, "holder={0} removed=later cause=\"{1}\"", name, e.getMessage());
        }
    }

    private static Optional<String> address(InspectContainerResponse container) {
        return container.getNetworkSettings().getNetworks().values().stream()
                .map(ContainerNetwork::getIpAddress)
                .filter(address -> address != null && !address.isEmpty())
                .findFirst();
    }

    private String create(String name, String network, byte[] program, Info known) {
        try {
            return createOf(image(program), name, network, known);
        } catch (NotFoundException e) {
            if (!Daemon.said(e).contains("image")) {
                throw e;
            }
            forgetImage();
            return createOf(image(program), name, network, known);
        }
    }

    private String createOf(String from, String name, String network, Info known) {
        var command = daemon.client()
                .createContainerCmd(from)
                .withName(name)
                .withHostConfig(host(network, known))
                .withHostName(Networks.HOST)
                .withUser(NOBODY)
                .withEntrypoint(PROGRAM)
                .withCmd()
                .withHealthcheck(new HealthCheck().withTest(List.of("NONE")))
                // the first program of a container does not hear of a milder one, and an engine that ends would wait
                // for it
                .withStopSignal("SIGKILL")
                .withTty(false)
                .withStdinOpen(false)
                .withLabels(Map.of(HOLDER, engine, Networks.NAME, network));
        return daemon.ask("create", Daemon.LONG, client -> command.exec().getId());
    }

    /** A task's policy, and less: it has nothing to write, nobody to be, and nothing to do. */
    private static HostConfig host(String network, Info known) {
        var host = new HostConfig()
                .withNetworkMode(network)
                .withPrivileged(false)
                .withCapDrop(Capability.ALL)
                .withSecurityOpts(List.of("no-new-privileges:true"))
                .withReadonlyRootfs(true)
                .withPidMode("")
                .withIpcMode("none")
                .withUtSMode("")
                .withUsernsMode("")
                .withCgroupnsMode("private")
                .withAutoRemove(false)
                .withPublishAllPorts(false)
                .withRestartPolicy(RestartPolicy.noRestart())
                .withLogConfig(new LogConfig(LoggingType.NONE, Map.of()))
                .withMemory(MEMORY)
                .withMemorySwap(MEMORY)
                .withPidsLimit(PROCESSES);
        if (known.getRuntimes() != null && known.getRuntimes().containsKey("runc")) {
            host.withRuntime("runc");
        }
        return host;
    }

    /** By its id, which nobody else can give to another: the tag only keeps it from being tidied away. */
    private String image(byte[] program) {
        var known = image;
        if (known != null) {
            return known;
        }
        try {
            var made = Files.exists(file) ? Files.readString(file).strip() : imported(program);
            image = made;
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String imported(byte[] program) throws IOException {
        var tar = new Tar();
        tar.file(PROGRAM, TO_RUN, program);
        var name = IMAGE + ":" + engine.substring(0, Math.min(TAG, engine.length()));
        var said = daemon.post("import", Daemon.LONG, "/images/create?fromSrc=-&repo=" + name, tar.bytes());
        var found = ID.matcher(said);
        if (!found.find()) {
            throw new Unavailable("The Docker engine made no image: " + said.strip(), null);
        }
        var id = found.group();
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, id);
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return id;
    }

    private void forgetImage() {
        image = null;
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those of this installation, also such as do not run. */
    List<Container> all() {
        return daemon.ask(
                "list",
                Daemon.SHORT,
                client -> client.listContainersCmd()
                        .withShowAll(true)
                        .withLabelFilter(List.of(HOLDER + "=" + engine))
                        .exec());
    }

    /** Counts these, and no others. */
    void count(List<Container> all) {
        var there = all.stream().map(Container::getId).toList();
        ids.retainAll(there);
        ids.addAll(there);
        metrics.holders(ids.size());
    }

    void remove(String id) {
        try {
            daemon.removeContainer(id);
        } catch (NotFoundException | ConflictException gone) {
            log.log(Level.DEBUG, "holder={0} gone", id);
        }
        ids.remove(id);
        metrics.holders(ids.size());
    }
}
