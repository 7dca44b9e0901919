package io.sluice.engines.docker;

import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Network;
import io.sluice.engines.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A network for each group of tasks that belong together, in which they know one another by name. Docker keeps networks
 * apart from one another.
 */
final class Networks {

    static final String NETWORK = "sluice.network";
    private static final String ENGINE = "sluice.engine";
    private static final Duration GRACE = Duration.ofSeconds(60);
    private static final int TRIES = 20;
    private static final int EACH = 128;
    private static final int OCTET = 256;
    private static final int FORBIDDEN = 403;

    private final Daemon daemon;
    private final String engine;
    private final int first;
    private final int count;
    private final Map<String, Integer> using = new HashMap<>();

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

    static void check(String range) {
        if (!range.matches("\\d{1,3}(\\.\\d{1,3}){3}/(1\\d|2[0-4]|[89])")) {
            throw new IllegalArgumentException(
                    range + " is no range of addresses. Give one that nothing else here uses, as 198.19.0.0/16.");
        }
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

    /** Its id. It stays at least until {@link #release}. */
    synchronized String hold(String group) {
        using.merge(group, 1, Integer::sum);
        try {
            return find(group).orElseGet(() -> create(group));
        } catch (RuntimeException e) {
            release(group);
            throw e;
        }
    }

    /** Counts another user, who has it already. */
    synchronized void keep(String group) {
        using.merge(group, 1, Integer::sum);
    }

    synchronized void release(String group) {
        using.computeIfPresent(group, (name, users) -> users == 1 ? null : users - 1);
    }

    private Optional<String> find(String group) {
        return all().stream()
                .filter(network -> name(group).equals(network.getName()))
                .map(Network::getId)
                .min(String::compareTo);
    }

    private List<Network> all() {
        return daemon.ask(
                "networks", Daemon.SHORT, client -> client.listNetworksCmd().exec());
    }

    private static String name(String group) {
        return "sluice-net-" + group;
    }

    private String create(String group) {
        var taken = all().stream()
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
                return create(group, subnet);
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

    private String create(String group, String subnet) {
        return daemon.ask(
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
    synchronized void tidy(String group) {
        if (!using.containsKey(group) && !inUse().contains(group)) {
            all().stream()
                    .filter(network -> name(group).equals(network.getName()))
                    .forEach(this::remove);
        }
    }

    /** Removes those of this engine that were left behind. */
    synchronized void sweep() {
        Set<String> inUse = null;
        for (var network : all()) {
            var labels = network.getLabels() == null ? Map.<String, String>of() : network.getLabels();
            var group = labels.get(NETWORK);
            Date created = network.getCreated();
            boolean young =
                    created != null && created.toInstant().isAfter(Instant.now().minus(GRACE));
            if (group == null || !engine.equals(labels.get(ENGINE)) || young || using.containsKey(group)) {
                continue;
            }
            inUse = inUse == null ? inUse() : inUse;
            if (!inUse.contains(group)) {
                remove(network);
            }
        }
    }

    private Set<String> inUse() {
        var groups = new HashSet<String>();
        daemon.ask(
                        "list",
                        Daemon.SHORT,
                        client -> client.listContainersCmd()
                                .withShowAll(true)
                                .withLabelFilter(List.of(NETWORK))
                                .exec())
                .forEach(container -> groups.add(container.getLabels().get(NETWORK)));
        return groups;
    }

    private void remove(Network network) {
        try {
            daemon.ask(
                    "network",
                    Daemon.LONG,
                    client -> client.removeNetworkCmd(network.getId()).exec());
        } catch (NotFoundException gone) {
            using.remove(network.getName());
        }
    }
}
