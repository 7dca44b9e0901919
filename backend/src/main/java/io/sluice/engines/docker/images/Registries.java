package io.sluice.engines.docker.images;

import io.sluice.engines.docker.wire.Hosts;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * From where images may be fetched. The engine asks a registry from outside of every container, so that no firewall of tasks holds there: one
 * that a job names must not be this machine itself, nor what a cloud tells its machines, unless an administrator has listed it.
 */
final class Registries {

    private static final Pattern PORT = Pattern.compile(":\\d+$");
    private static final Pattern NUMBERS = Pattern.compile("(0x[0-9a-f]*|\\d+)(\\.(0x[0-9a-f]*|\\d+))*");
    private static final Pattern PLAIN = Pattern.compile("(0|[1-9]\\d{0,2})(\\.(0|[1-9]\\d{0,2})){3}");
    /** Beside the link-local ones: Alibaba's and Azure's, and Amazon's of version 6. */
    private static final Set<String> METADATA = Set.of("100.100.100.200", "168.63.129.16", "fd00:ec2:0:0:0:0:0:254");

    private final List<String> allowed;
    private final Hosts hosts;

    /** @param allowed as {@code localhost:5000}, or {@code localhost} for all of its ports */
    Registries(List<String> allowed, Hosts hosts) {
        this.allowed =
                allowed.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        this.hosts = hosts;
    }

    /** Whether jobs may name it. A name that means nothing here is left to the engine, which may know it, or says that it does not. */
    boolean allows(String registry) {
        var name = registry.toLowerCase(Locale.ROOT);
        var host = PORT.matcher(name).replaceFirst("");
        return name.equals(ImageName.HUB) || allowed.contains(name) || allowed.contains(host) || !isInside(host);
    }

    private boolean isInside(String host) {
        if (NUMBERS.matcher(host).matches() && !PLAIN.matcher(host).matches()) {
            return true; // 0177.1 and 2130706433 are addresses for some, and not the same ones for all
        }
        return hosts.of(host).stream().anyMatch(Registries::isInside);
    }

    private static boolean isInside(InetAddress address) {
        return Hosts.isOwn(address)
                || address.isLinkLocalAddress()
                || address.isMulticastAddress()
                || METADATA.contains(address.getHostAddress());
    }
}
