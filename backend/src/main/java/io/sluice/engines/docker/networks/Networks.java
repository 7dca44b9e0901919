package io.sluice.engines.docker.networks;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Network;
import io.prometheus.client.CollectorRegistry;
import io.sluice.engines.Task;
import io.sluice.engines.docker.networks.Held.Holder;
import io.sluice.engines.docker.wire.Daemon;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A network for each group of tasks that belong together, in which they know one another by name. Docker keeps networks
 * apart from one another. Making one takes as long as making a container, so that one or two are kept ready.
 */
public final class Networks {

    /** Of a container: what its tasks have in common. Of a network: that it is for tasks. */
    public static final String NETWORK = "sluice.network";

    /** Of a container: in which network it is. */
    static final String NAME = "sluice.network.name";

    /** What the machine of a task is called that is started in a namespace made ahead. */
    public static final String HOST = "task";

    private static final Logger log = System.getLogger(Networks.class.getName());
    private static final String HOLDER = "sluice.network.holder";
    private static final String ADDRESS = "sluice.network.address";
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final int TURNS = 64;

    private final Daemon daemon;
    private final Runnable fault;
    private final Subnets subnets;
    private final Holders holders;
    private final Ready ready;
    private final Map<String, Integer> using = new HashMap<>();
    private final Map<String, Held> given = new HashMap<>();
    /** The ids of holders that ended before their tasks did. */
    private final Set<String> cut = ConcurrentHashMap.newKeySet();

    private final List<ReentrantLock> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new ReentrantLock()).toList();
    private final ReentrantLock looking = new ReentrantLock();
    private volatile boolean known;

    /**
     * @param engine whose networks these are
     * @param range of addresses for them
     * @param folder for what is known of the image of those that hold networks open
     */
    public record Settings(String engine, String range, Path folder) {}

    /** @param fault hears of holders that could not be made, or have ended */
    public Networks(Daemon daemon, Settings settings, Supplier<Info> info, Runnable fault, CollectorRegistry registry) {
        var metrics = new NetworkMetrics(registry);
        this.daemon = daemon;
        this.fault = fault;
        this.subnets = new Subnets(daemon, settings.engine(), settings.range());
        this.holders =
                new Holders(daemon, settings.engine(), settings.folder().resolve("holder-image"), info, fault, metrics);
        this.ready = new Ready(subnets, holders, this::isQuiet, metrics);
    }

    /** What tasks must have in common to reach one another; a task without one is alone. */
    public static String group(Task task) {
        return Objects.requireNonNullElse(task.labels().get(Task.NETWORK), task.name());
    }

    private static boolean isAlone(Task task) {
        return !task.labels().containsKey(Task.NETWORK);
    }

    /** What a container is told of its network, so that it is known again; whatever its image says of these. */
    public static Map<String, String> labels(String group, Held held) {
        var holder = held.holder();
        return Map.of(
                NETWORK,
                group,
                NAME,
                held.name(),
                HOLDER,
                holder == null ? "" : holder.id(),
                ADDRESS,
                holder == null ? "" : holder.address(),
                Holders.HOLDER,
                "");
    }

    /** Whether a container was made for it, as it is now. */
    public static boolean isIn(InspectContainerResponse container, Held held) {
        return of(labels(container)).equals(held.name())
                && Objects.equals(holder(container).orElse(null), held.holder());
    }

    private static String of(Map<String, String> labels) {
        var name = labels.get(NAME);
        return name != null ? name : Subnets.PREFIX + labels.get(NETWORK); // so they were named in 2026
    }

    private static Map<String, String> labels(InspectContainerResponse container) {
        var labels =
                container.getConfig() == null ? null : container.getConfig().getLabels();
        return labels == null ? Map.of() : labels;
    }

    /** In whose namespace it is; empty: it has its own. */
    public static Optional<Holder> holder(InspectContainerResponse container) {
        var host = container.getHostConfig();
        return host != null && String.valueOf(host.getNetworkMode()).startsWith("container:")
                ? Optional.ofNullable(holder(labels(container)))
                : Optional.empty();
    }

    private static @Nullable Holder holder(Map<String, String> labels) {
        var id = labels.getOrDefault(HOLDER, "");
        return id.isEmpty() ? null : new Holder(id, labels.getOrDefault(ADDRESS, ""));
    }

    /** The network of a task's group, which nobody else has, or gets before {@link #release}; it may be still on its way. */
    public Held hold(Task task) {
        know();
        synchronized (this) {
            var group = group(task);
            var held = given.get(group);
            if (held == null || held.failed()) {
                held = ready.take(isAlone(task));
                given.put(group, held);
            }
            using.merge(group, 1, Integer::sum);
            return held;
        }
    }

    public void release(String group) {
        synchronized (this) {
            using.computeIfPresent(group, (name, users) -> users == 1 ? null : users - 1);
        }
        ready.prepare();
    }

    private synchronized boolean isQuiet() {
        return using.isEmpty();
    }

    /** Whether an engine says that a network, or who holds it, is not there. */
    public static boolean isLost(Held held, String said) {
        var holder = held.holder();
        return said.contains("network " + held.name() + " not found")
                || (holder != null
                        && (said.contains("non running container: " + holder.id())
                                || said.contains("No such container: " + holder.id())));
    }

    /** It is not there any more, whoever took it away: the next one who asks gets a new one, as those that were ready may be gone too. */
    public void lost(String group, Held held) {
        synchronized (this) {
            given.remove(group, held);
        }
        ready.discard(Stream.concat(Stream.of(held), ready.without(ready.all()).stream())
                .toList());
    }

    /** What an earlier gateway has given; what it had ready is ready again. */
    private void know() {
        if (known) {
            return;
        }
        looking.lock();
        try {
            if (known) {
                return;
            }
            var networks = subnets.mine().stream().map(Network::getName).collect(Collectors.toSet());
            var containers = containersIn(networks);
            // one that came late may be in a network that is another's by now: it does not run
            containers.stream()
                    .sorted(Comparator.comparing(container -> !"running".equals(container.getState())))
                    .forEach(container -> keep(container.getLabels()));
            var used = names(containers);
            var holding = holders.all();
            holders.count(holding);
            networks.stream()
                    .filter(name -> !used.contains(name) && !isMine(name))
                    .forEach(name -> ready.giveBack(Held.found(name, holderOf(name, holding))));
            holding.stream().map(Container::getId).filter(id -> !holds(id)).forEach(ready::remove);
            known = true;
        } finally {
            looking.unlock();
        }
    }

    /** A task may have been in it: it is for no other. */
    private static @Nullable Holder holderOf(String network, List<Container> holding) {
        return holding.stream()
                .filter(container -> network.equals(container.getLabels().get(NAME)))
                .map(container -> new Holder(container.getId(), ""))
                .findFirst()
                .orElse(null);
    }

    /** What another installation gave on this engine is in no network of ours, and no business of ours. */
    private List<Container> containersIn(Set<String> networks) {
        return containers(List.of(NETWORK)).stream()
                .filter(container -> networks.contains(of(container.getLabels())))
                .toList();
    }

    private static Set<String> names(List<Container> containers) {
        return containers.stream().map(container -> of(container.getLabels())).collect(Collectors.toSet());
    }

    private synchronized void keep(Map<String, String> labels) {
        var name = of(labels);
        if (given.values().stream().noneMatch(held -> held.name().equals(name))) {
            given.putIfAbsent(labels.getOrDefault(NETWORK, ""), Held.found(name, holder(labels)));
        }
    }

    /** Gives back the network of a group of which no container is left in it. */
    public void tidy(String group) {
        know();
        var turn = turns.get(Math.floorMod(group.hashCode(), TURNS));
        turn.lock();
        try {
            Held held;
            synchronized (this) {
                held = given.get(group);
            }
            if (held == null) {
                return;
            }
            boolean unused = containers(List.of(NETWORK + "=" + group)).stream()
                    .noneMatch(container -> of(container.getLabels()).equals(held.name()));
            synchronized (this) {
                if (unused && !using.containsKey(group) && given.remove(group, held)) {
                    ready.giveBack(held);
                }
            }
        } finally {
            turn.unlock();
        }
    }

    /** Whether those that are ready still are, and those that were given; then has more ready. */
    public void look() {
        know();
        List<Held> mine;
        synchronized (this) {
            mine = given.values().stream().filter(held -> held.holder() != null).toList();
        }
        var waiting = ready.all();
        var all = holders.all();
        holders.count(all);
        var running = all.stream()
                .filter(container -> "running".equals(container.getState()))
                .map(Container::getId)
                .collect(Collectors.toSet());
        ready.discard(ready.without(
                waiting.stream().filter(held -> isCut(held, running)).toList()));
        cut.retainAll(mine.stream().map(held -> idOf(held)).collect(Collectors.toSet()));
        mine.stream()
                .filter(held -> isCut(held, running) && cut.add(idOf(held)))
                .forEach(held -> {
                    fault.run();
                    log.log(Level.WARNING, "network={0} holder={1} ended=early", held.name(), idOf(held));
                });
        ready.prepare();
    }

    private static boolean isCut(Held held, Set<String> running) {
        return held.holder() != null && !running.contains(held.holder().id());
    }

    private static String idOf(Held held) {
        return held.holder() == null ? "" : held.holder().id();
    }

    /** Why a task has no network any more; empty: it has its own. */
    public Optional<String> cut(InspectContainerResponse container) {
        return holder(container)
                .filter(holder -> cut.contains(holder.id()))
                .map(holder -> "The container that held the task's network was ended from outside, so that the task has"
                        + " none any more.");
    }

    /** Removes those of this engine that were left behind. */
    public void sweep() {
        know();
        var networks = subnets.mine();
        var used = names(containersIn(networks.stream().map(Network::getName).collect(Collectors.toSet())));
        List<String> left;
        synchronized (this) {
            left = given.entrySet().stream()
                    .filter(entry -> !using.containsKey(entry.getKey())
                            && !used.contains(entry.getValue().name()))
                    .map(Map.Entry::getKey)
                    .toList();
        }
        left.forEach(this::tidy);
        holders.all().stream()
                .filter(holder -> isOld(Instant.ofEpochSecond(holder.getCreated())) && !holds(holder.getId()))
                .forEach(holder -> holders.remove(holder.getId()));
        networks.stream()
                .filter(network -> !isYoung(network) && !used.contains(network.getName()) && !isMine(network.getName()))
                .forEach(network -> subnets.remove(network.getName()));
    }

    private static boolean isOld(Instant made) {
        return made.isBefore(Instant.now().minus(GRACE));
    }

    private static boolean isYoung(Network network) {
        Date created = network.getCreated();
        return created != null && !isOld(created.toInstant());
    }

    /** Whether a network is somebody's, or somebody's soon. */
    private synchronized boolean isMine(String name) {
        return ready.has(name)
                || given.values().stream().anyMatch(held -> held.name().equals(name));
    }

    private synchronized boolean holds(String id) {
        return Stream.concat(ready.all().stream(), given.values().stream())
                .anyMatch(held -> idOf(held).equals(id));
    }

    /** Those that are ready are of no use to anybody else. */
    public void close() {
        ready.close();
    }

    private List<Container> containers(List<String> labels) {
        return daemon.ask(
                "list",
                Daemon.SHORT,
                client -> client.listContainersCmd()
                        .withShowAll(true)
                        .withLabelFilter(labels)
                        .exec());
    }
}
