package io.sluice.engines.docker.networks;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Network;
import io.sluice.engines.docker.fence.Firewall;
import io.sluice.engines.docker.wire.Daemon;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes networks out of a range of addresses that is for tasks: Docker's own ranges end after about 30. */
final class Subnets {

    /** Of a network or of what holds one: whose it is. */
    static final String ENGINE = "sluice.engine";

    /** How the names of networks begin. */
    static final String PREFIX = "sluice-net-";

    private static final Logger log = System.getLogger(Subnets.class.getName());
    private static final int TRIES = 20;
    private static final int EACH = 128;
    private static final int OCTET = 256;
    private static final int FORBIDDEN = 403;
    private static final int DIGITS = 5;

    private final Daemon daemon;
    private final String engine;
    private final int first;
    private final int count;

    /**
     * @param engine whose networks these are
     * @param range as {@code 198.19.0.0/16}: each network gets 126 addresses of it
     */
    Subnets(Daemon daemon, String engine, String range) {
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

    /** Of a network that there has not been yet; an interface has at most 15 characters. */
    static String name() {
        var bytes = new byte[DIGITS];
        ThreadLocalRandom.current().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private List<Network> all() {
        return daemon.ask(
                "networks", Daemon.SHORT, client -> client.listNetworksCmd().exec());
    }

    /** Those of this installation. */
    List<Network> mine() {
        return all().stream()
                .filter(network -> network.getLabels() != null
                        && engine.equals(network.getLabels().get(ENGINE)))
                .toList();
    }

    /** A new one, on its way. */
    Held begin() {
        var part = name();
        var made =
                new FutureTask<>(() -> make(PREFIX + part, part, Map.of(ENGINE, engine, Networks.NETWORK, part)), null);
        Thread.ofVirtual().name("sluice-docker-network").start(made);
        return new Held(PREFIX + part, made, null);
    }

    void remove(String name) {
        try {
            daemon.ask(
                    "network",
                    Daemon.SHORT,
                    client -> client.removeNetworkCmd(name).exec());
        } catch (NotFoundException gone) {
            log.log(Level.DEBUG, "network={0} gone", name);
        }
    }

    /**
     * @param bridge how its interface is called, after what all of them have in common
     */
    private void make(String name, String bridge, Map<String, String> labels) {
        var taken = Set.<String>of();
        int begin = ThreadLocalRandom.current().nextInt(count);
        DockerException last = null;
        for (int i = 0, tries = 0; i < count && tries < TRIES; i++) {
            var subnet = address(first + (begin + i) % count * EACH) + "/25";
            if (taken.contains(subnet)) {
                continue;
            }
            tries++;
            try {
                create(name, bridge, labels, subnet);
                return;
            } catch (ConflictException e) {
                if (all().stream().noneMatch(network -> name.equals(network.getName()))) {
                    throw e;
                }
                return; // nobody else takes such a name: it was asked for twice on the way
            } catch (DockerException e) {
                if (e.getHttpStatus() != FORBIDDEN || !Daemon.said(e).contains("verlap")) {
                    throw e;
                }
                last = e;
                taken = taken();
            }
        }
        throw last != null && taken.size() < count
                ? last
                : new DockerException("all " + count + " networks that tasks may have are taken", FORBIDDEN);
    }

    private Set<String> taken() {
        return all().stream()
                .flatMap(network ->
                        network.getIpam() == null || network.getIpam().getConfig() == null
                                ? Stream.empty()
                                : network.getIpam().getConfig().stream())
                .map(Network.Ipam.Config::getSubnet)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    private void create(String name, String bridge, Map<String, String> labels, String subnet) {
        daemon.ask(
                "network",
                Daemon.LONG,
                client -> client.createNetworkCmd()
                        .withName(name)
                        .withDriver("bridge")
                        .withCheckDuplicate(true)
                        // whatever the engine does by itself: what keeps tasks in knows addresses of version 4
                        .withEnableIpv6(false)
                        .withIpam(new Network.Ipam().withConfig(new Network.Ipam.Config().withSubnet(subnet)))
                        .withOptions(Map.of(
                                "com.docker.network.bridge.name",
                                Firewall.BRIDGES + bridge,
                                "com.docker.network.bridge.enable_icc",
                                "true"))
                        .withLabels(labels)
                        .exec()
                        .getId());
    }
}
