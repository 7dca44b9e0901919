package io.sluice.engines.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Network;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.Task;
import io.sluice.engines.docker.wire.Daemon;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A network for each group of tasks that belong together, in which they know one another by name. Docker keeps networks
 * apart from one another. Making one takes as long as making a container, so that one or two are kept ready.
 */
final class Networks {

    /** Of a container: what its tasks have in common. Of a network: that it is for tasks. */
    static final String NETWORK = "sluice.network";

    private static final Logger log = System.getLogger(Networks.class.getName());
    private static final String ENGINE = "sluice.engine";
    private static final String NAME = "sluice.network.name";
    private static final String PREFIX = "sluice-net-";
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final int READY = 2;
    private static final int TURNS = 64;

    private final Daemon daemon;
    private final String engine;
    private final Subnets subnets;
    private final DockerMetrics metrics;
    private final Map<String, Integer> using = new HashMap<>();
    private final Map<String, Held> given = new HashMap<>();
    private final Deque<Held> ready = new ArrayDeque<>();
    private final List<ReentrantLock> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new ReentrantLock()).toList();
    private @Nullable Held making;
    private final ReentrantLock looking = new ReentrantLock();
    private volatile boolean known;
    private boolean closed;

    /** A network, and whether it is there yet. */
    record Held(String name, Future<?> made) {

        private boolean failed() {
            return made.state() == Future.State.FAILED || made.state() == Future.State.CANCELLED;
        }

        /** What comes later than that is left to the next gateway. */
        private boolean isOverWithin(Duration limit) {
            try {
                made.get(limit.toMillis(), TimeUnit.MILLISECONDS);
                return true;
            } catch (ExecutionException e) {
                return true;
            } catch (TimeoutException | InterruptedException e) {
                return false;
            }
        }

        /** Until it is there. */
        void await() {
            try {
                made.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                throw new Unavailable("The gateway is closing.", e);
            }
        }
    }

    /** @param engine whose networks these are */
    Networks(Daemon daemon, String engine, Subnets subnets, DockerMetrics metrics) {
        this.daemon = daemon;
        this.engine = engine;
        this.subnets = subnets;
        this.metrics = metrics;
    }

    /** What tasks must have in common to reach one another; a task without one is alone. */
    static String group(Task task) {
        return Objects.requireNonNullElse(task.labels().get(Task.NETWORK), task.name());
    }

    /** What a container is told of its network, so that it is known again. */
    static Map<String, String> labels(String group, String name) {
        return Map.of(NETWORK, group, NAME, name);
    }

    static String of(InspectContainerResponse container) {
        return of(Containers.labels(container));
    }

    private static String of(Map<String, String> labels) {
        var name = labels.get(NAME);
        return name != null ? name : PREFIX + labels.get(NETWORK); // so they were named in 2026
    }

    /** The group's network, which nobody else has, or gets before {@link #release}; it may be still on its way. */
    Held hold(String group) {
        know();
        synchronized (this) {
            var held = given.get(group);
            if (held == null || held.failed()) {
                held = ready.isEmpty() ? begin() : ready.remove();
                given.put(group, held);
                metrics.networksReady(ready.size());
            }
            using.merge(group, 1, Integer::sum);
            return held;
        }
    }

    synchronized void release(String group) {
        using.computeIfPresent(group, (name, users) -> users == 1 ? null : users - 1);
    }

    /** It is not there any more, whoever took it away: the next one who asks gets a new one, as those that were ready may be gone too. */
    void lost(String group, Held held) {
        List<Held> doubtful;
        synchronized (this) {
            given.remove(group, held);
            doubtful = List.copyOf(ready);
            ready.clear();
            metrics.networksReady(0);
        }
        doubtful.forEach(this::discard);
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
            var networks = mine().map(Network::getName).collect(Collectors.toSet());
            var containers = containersIn(networks);
            // one that came late may be in a network that is another's by now: it does not run
            containers.stream()
                    .sorted(Comparator.comparing(container -> !"running".equals(container.getState())))
                    .forEach(container -> keep(container.getLabels()));
            var used = names(containers);
            networks.stream()
                    .filter(name -> !used.contains(name) && !isMine(name))
                    .map(name -> new Held(name, finished()))
                    .filter(held -> !keepsReady(held))
                    .forEach(this::discard);
            known = true;
        } finally {
            looking.unlock();
        }
    }

    private Stream<Network> mine() {
        return subnets.all().stream()
                .filter(network -> network.getLabels() != null
                        && engine.equals(network.getLabels().get(ENGINE)));
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
            given.putIfAbsent(labels.getOrDefault(NETWORK, ""), new Held(name, finished()));
        }
    }

    private static Future<?> finished() {
        var done = new FutureTask<>(() -> {}, null);
        done.run();
        return done;
    }

    private Held begin() {
        var part = Subnets.name();
        var made =
                new FutureTask<>(() -> subnets.make(PREFIX + part, part, Map.of(ENGINE, engine, NETWORK, part)), null);
        Thread.ofVirtual().name("sluice-docker-network").start(made);
        return new Held(PREFIX + part, made);
    }

    /** Has one ready for the next that comes, soon: whoever looks after the engine is not kept by this. */
    synchronized void prepare() {
        if (closed || making != null || !ready.isEmpty()) {
            return;
        }
        var next = begin();
        making = next;
        Thread.ofVirtual().name("sluice-docker-network-ready").start(() -> keepOnceMade(next));
    }

    private void keepOnceMade(Held next) {
        boolean made = false;
        try {
            next.await();
            made = true;
        } catch (DockerException | Unavailable e) {
            log.log(Level.DEBUG, "network={0} made=no cause=\"{1}\"", next.name(), e.getMessage());
        } finally {
            synchronized (this) {
                making = null;
                made = closed || (made && keepsReady(next));
            }
        }
        if (!made) {
            discard(next);
        }
    }

    private synchronized boolean keepsReady(Held held) {
        boolean keeps = !closed && !held.failed() && ready.size() < READY;
        if (keeps) {
            ready.add(held);
        }
        metrics.networksReady(ready.size());
        return keeps;
    }

    /** Gives back the network of a group of which no container is left in it. */
    void tidy(String group) {
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
                boolean over = unused && !using.containsKey(group) && given.remove(group, held);
                if (!over || keepsReady(held)) {
                    return;
                }
            }
            discard(held);
        } finally {
            turn.unlock();
        }
    }

    /** Removes those of this engine that were left behind. */
    void sweep() {
        know();
        var networks = mine().toList();
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
        networks.stream()
                .filter(network -> !isYoung(network) && !used.contains(network.getName()) && !isMine(network.getName()))
                .forEach(network -> remove(network.getName()));
    }

    private static boolean isYoung(Network network) {
        Date created = network.getCreated();
        return created != null && created.toInstant().isAfter(Instant.now().minus(GRACE));
    }

    private synchronized boolean isMine(String name) {
        return (making != null && making.name().equals(name))
                || ready.stream().anyMatch(held -> held.name().equals(name))
                || given.values().stream().anyMatch(held -> held.name().equals(name));
    }

    /** Those that are ready are of no use to anybody else. */
    void close() {
        List<Held> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(ready);
            if (making != null) {
                all.add(making);
            }
            ready.clear();
            metrics.networksReady(0);
        }
        for (var held : all) {
            if (held.isOverWithin(CLOSING)) {
                discard(held);
            }
        }
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

    private void discard(Held held) {
        try {
            remove(held.name());
        } catch (DockerException | Unavailable e) {
            log.log(Level.DEBUG, "network={0} removed=later cause=\"{1}\"", held.name(), e.getMessage());
        }
    }

    private void remove(String name) {
        try {
            daemon.ask(
                    "network",
                    Daemon.SHORT,
                    client -> client.removeNetworkCmd(name).exec());
        } catch (NotFoundException gone) {
            log.log(Level.DEBUG, "network={0} gone", name);
        }
    }
}
