package io.sluice.engines.docker;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Network;
import io.sluice.engines.Task;
import io.sluice.engines.docker.wire.Daemon;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A network for each group of tasks that belong together, in which they know one another by name. Docker keeps networks
 * apart from one another.
 */
final class Networks {

    private static final Logger log = System.getLogger(Networks.class.getName());
    static final String NETWORK = "sluice.network";
    private static final String ENGINE = "sluice.engine";
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final int TURNS = 64;
    private static final int TRIES = 20;
    private static final int EACH = 128;
    private static final int OCTET = 256;
    private static final int FORBIDDEN = 403;

    private final Daemon daemon;
    private final String engine;
    private final int first;
    private final int count;
    private final Map<String, Integer> using = new ConcurrentHashMap<>();
    private final List<ReentrantLock> turns =
            IntStream.range(0, TURNS).mapToObj(i -> new ReentrantLock()).toList();

    /**
     * @param engine whose networks these are
     * @param range as {@code 198.19.0.0/16}: each network gets 126 addresses of it
     */
    Networks(Daemon daemon, String engine, String range) {
        this.daemon = daemon;
        this.engine = engine;
        var parts = range.split("/");
        this.first = number(parts[0]);
        this.count = 1 << (25 - Integer.parseInt(parts[1]));
    }

    private static int number(String address) {
        int number = 0;
        for (var octet : address.split("\\.")) {
            number = number * OCTET + Integer.parseInt(octet);
        }
        return number;
    }

    private static String address(int number) {
        return (number >>> 24) + "." + (number >>> 16 & 255) + "." + (number >>> 8 & 255) + "." + (number & 255);
    }

    /** What tasks must have in common to reach one another; a task without one is alone. */
    static String group(Task task) {
        return Objects.requireNonNullElse(task.labels().get(Task.NETWORK), task.name());
    }

    static String bridge(String group) {
        return Firewall.BRIDGES + String.format("%010x", Math.abs((long) group.hashCode() * 31 + group.length()));
    }

    /** It is there, and stays at least until {@link #release}. */
    void hold(String group) {
        var turn = turn(group);
        turn.lock();
        try {
            int before = using.merge(group, 1, Integer::sum) - 1;
            if (before == 0) {
                make(group);
            }
        } catch (RuntimeException e) {
            release(group);
            throw e;
        } finally {
            turn.unlock();
        }
    }

    void release(String group) {
        using.computeIfPresent(group, (name, users) -> users == 1 ? null : users - 1);
    }

    private List<Network> all() {
        return daemon.ask(
                "networks", Daemon.SHORT, client -> client.listNetworksCmd().exec());
    }

    static String name(String group) {
        return "sluice-net-" + group;
    }

    private void make(String group) {
        var all = all();
        if (all.stream().anyMatch(network -> name(group).equals(network.getName()))) {
            return;
        }
        var taken = all.stream()
                .flatMap(network ->
                        network.getIpam() == null || network.getIpam().getConfig() == null
                                ? Stream.empty()
                                : network.getIpam().getConfig().stream())
                .map(Network.Ipam.Config::getSubnet)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        int begin = ThreadLocalRandom.current().nextInt(count);
        DockerException last = null;
        for (int i = 0, tries = 0; i < count && tries < TRIES; i++) {
            var subnet = address(first + (begin + i) % count * EACH) + "/25";
            if (taken.contains(subnet)) {
                continue;
            }
            tries++;
            try {
                create(group, subnet);
                return;
            } catch (DockerException e) {
                if (e.getHttpStatus() != FORBIDDEN || !Daemon.said(e).contains("verlap")) {
                    throw e;
                }
                last = e;
            }
        }
        throw last != null
                ? last
                : new DockerException("all " + count + " networks that tasks may have are taken", FORBIDDEN);
    }

    private void create(String group, String subnet) {
        daemon.ask(
                "network",
                Daemon.LONG,
                client -> client.createNetworkCmd()
                        .withName(name(group))
                        .withDriver("bridge")
                        .withCheckDuplicate(true)
                        .withIpam(new Network.Ipam().withConfig(new Network.Ipam.Config().withSubnet(subnet)))
                        .withOptions(Map.of(
                                "com.docker.network.bridge.name",
                                bridge(group),
                                "com.docker.network.bridge.enable_icc",
                                "true"))
                        .withLabels(Map.of(ENGINE, engine, NETWORK, group))
                        .exec()
                        .getId());
    }

    /** Removes the network of a group of which no container is left. */
    void tidy(String group) {
        var turn = turn(group);
        turn.lock();
        try {
            if (!using.containsKey(group) && !inUse(group).contains(group)) {
                remove(name(group));
            }
        } finally {
            turn.unlock();
        }
    }

    /** Removes those of this engine that were left behind. */
    void sweep() {
        for (var network : all()) {
            var labels = network.getLabels() == null ? Map.<String, String>of() : network.getLabels();
            var group = labels.get(NETWORK);
            Date created = network.getCreated();
            boolean young =
                    created != null && created.toInstant().isAfter(Instant.now().minus(GRACE));
            if (group != null && engine.equals(labels.get(ENGINE)) && !young) {
                tidy(group);
            }
        }
    }

    private ReentrantLock turn(String group) {
        return turns.get(Math.floorMod(group.hashCode(), TURNS));
    }

    private Set<String> inUse(String group) {
        var groups = new HashSet<String>();
        daemon.ask(
                        "list",
                        Daemon.SHORT,
                        client -> client.listContainersCmd()
                                .withShowAll(true)
                                .withLabelFilter(Map.of(NETWORK, group))
                                .exec())
                .forEach(container -> groups.add(container.getLabels().get(NETWORK)));
        return groups;
    }

    private void remove(String name) {
        try {
            daemon.ask(
                    "network",
                    Daemon.LONG,
                    client -> client.removeNetworkCmd(name).exec());
        } catch (NotFoundException gone) {
            log.log(Level.DEBUG, "network={0} gone", name);
        }
    }
}
