package io.sluice.engines.docker.fence;

import io.sluice.engines.docker.wire.Hosts;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks from what this machine itself offers on its addresses, from what the gateway uses on others, from the metadata services of
 * clouds, and from one another's networks: Docker knows no rule for the former, and opens its own for the latter for an instant whenever it makes a
 * network.
 */
public final class Firewall {

    /** How the names of the tasks' bridges begin; no other interface is touched. */
    public static final String BRIDGES = "slu";

    private static final Logger log = System.getLogger(Firewall.class.getName());
    private static final String CHAIN = "SLUICE-TASKS";
    private static final String OUT = "SLUICE-OUT";
    private static final String KEPT = "SLUICE-KEPT-";
    private static final String FROM_TASKS = BRIDGES + "+";
    private static final int ID = 8;
    private static final String NAMES = "53";
    private static final Path SIX = Path.of("/proc/net/if_inet6");

    /** Is there where the filter sees also what stays within a bridge. */
    private static final Path WITHIN = Path.of("/proc/sys/net/bridge");

    /** Where clouds tell a machine what is for it alone. Some answer there what names mean, too: that is for tasks as well. */
    private static final List<String> METADATA = List.of("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32");

    private static final Pattern TARGET = Pattern.compile("-d (\\d+(?:\\.\\d+){3})(?:/32)? .*--dport (\\d+) -j DROP");
    private static final String OPEN =
            "tasks can reach what this machine offers on other addresses than 127.0.0.1, because %s";

    private final Settings settings;
    private final Tables four;
    private final Tables six;
    private final Runnable fault;
    private final Hosts hosts;
    private final Map<InetSocketAddress, Set<Target>> last = new HashMap<>();
    private volatile String note = OPEN.formatted("the engine has not answered yet");
    private volatile @Nullable String broken;
    private volatile boolean holds;

    /**
     * @param networks the addresses of tasks
     * @param install whose rules these are, so that two gateways on a machine do not take away one another's
     * @param may whether this process can set rules
     * @param kept what the gateway uses on other machines, and tasks must not reach
     * @param open whether tasks are started also where rules could be set and that fails
     */
    public record Settings(String networks, String install, boolean may, List<InetSocketAddress> kept, boolean open) {
        public Settings {
            kept = List.copyOf(kept);
        }
    }

    private record Target(String address, int port) {}

    /** @param fault hears of each time that rules could not be set */
    public Firewall(Settings settings, Runnable fault) {
        this(settings, fault, "iptables", "ip6tables", Hosts.ofThisMachine());
    }

    Firewall(Settings settings, Runnable fault, String four, String six, Hosts hosts) {
        this.settings = settings;
        this.fault = fault;
        this.four = new Tables(four);
        this.six = new Tables(six);
        this.hosts = hosts;
    }

    /** One line for the user. */
    public String note() {
        return note;
    }

    public boolean holds() {
        return holds;
    }

    /** Why no task may be started now, in one line for the user: rules are to be had here, and could not be set. */
    public Optional<String> closed() {
        return Optional.ofNullable(broken);
    }

    /**
     * Puts the rules in their places where they are not; a restart of the engine or of a firewall may have taken them away.
     *
     * @param here whether the engine is on this machine
     */
    public synchronized void keep(boolean here) {
        if (!here) {
            opened("the engine is on another machine, where the gateway can set no rules; set them there");
        } else if (!settings.may()) {
            opened("only root can set a firewall's rules, and the gateway is not root");
        } else {
            set();
        }
    }

    private void opened(String why) {
        var now = OPEN.formatted(why);
        if (!now.equals(note)) {
            log.log(Level.WARNING, "engine=open cause=\"{0}\"", why);
        }
        note = now;
        holds = false;
        broken = null;
    }

    private void set() {
        try {
            tasks();
            fenced(kept());
        } catch (IOException e) {
            fault.run();
            opened("iptables can not be used: " + e.getMessage());
            broken = settings.open()
                    ? null
                    : "No task is started while this machine's firewall can not be set, because tasks could reach what"
                            + " the machine offers. (" + e.getMessage() + ") An administrator can mend iptables, or"
                            + " restart the gateway with --docker-without-firewall.";
        } catch (InterruptedException e) {
            log.log(Level.DEBUG, "engine=closed");
        }
    }

    /** @param unknown services that have no rule */
    private void fenced(List<String> unknown) {
        var now = "tasks reach neither this machine nor one another's networks";
        if (!unknown.isEmpty()) {
            now += "; nothing keeps them from " + String.join(", ", unknown)
                    + " of the gateway, of which no IPv4 address is known: give it by one, or mend its name";
        } else if (!settings.kept().isEmpty()) {
            now += ", nor the gateway's own services";
        }
        if (!unknown.isEmpty() && !now.equals(note)) {
            log.log(Level.WARNING, "engine=open services=\"{0}\"", String.join(", ", unknown));
        }
        note = now;
        holds = unknown.isEmpty();
        broken = null;
    }

    /** Answers to what the gateway itself asks of a task pass; everything else from a task to this machine does not. */
    private void tasks() throws IOException, InterruptedException {
        four.chain(CHAIN);
        four.last(CHAIN, "-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED", "-j", "RETURN");
        four.last(CHAIN, "-s", settings.networks(), "-j", "DROP");
        four.first("INPUT", "-i", FROM_TASKS, "-j", CHAIN);
        four.chain(OUT);
        for (var address : METADATA) {
            for (var by : List.of("tcp", "udp")) {
                four.last(OUT, "-d", address, "-p", by, "!", "--dport", NAMES, "-j", "DROP");
            }
        }
        apart();
        four.first("FORWARD", "-i", FROM_TASKS, "-j", OUT);
        versionSix();
    }

    /** What goes from one bridge to another; the plain rule would end what stays within one where that is seen, too. */
    private void apart() throws IOException, InterruptedException {
        var plain = new String[] {"-o", FROM_TASKS, "-j", "DROP"};
        if (Files.exists(WITHIN)) {
            four.last(OUT, "-o", FROM_TASKS, "-m", "physdev", "!", "--physdev-is-bridged", "-j", "DROP");
            four.without(OUT, plain);
        } else {
            four.last(OUT, plain);
        }
    }

    /** The networks of tasks have no such addresses: this is for the day on which an engine gives them some all the same. */
    private void versionSix() throws InterruptedException {
        try {
            if (Files.exists(SIX)) {
                six.first("INPUT", "-i", FROM_TASKS, "-j", "DROP");
                six.first("FORWARD", "-i", FROM_TASKS, "-j", "DROP");
            }
        } catch (IOException e) {
            fault.run();
            log.log(Level.DEBUG, "engine=open version=6 cause=\"{0}\"", e.getMessage());
        }
    }

    /**
     * A chain of this installation's own, so that what it keeps can change.
     *
     * @return the services that have no rule: what their names mean is not known, and never was
     */
    private List<String> kept() throws IOException, InterruptedException {
        var chain = KEPT
                + settings.install()
                        .substring(0, Math.min(ID, settings.install().length()));
        four.chain(chain);
        var wanted = new HashSet<Target>();
        var unknown = new ArrayList<String>();
        for (var service : settings.kept()) {
            var found = targets(service);
            if (found.isEmpty()) {
                unknown.add(service.getHostString() + ":" + service.getPort());
            }
            wanted.addAll(found);
        }
        for (var target : wanted) {
            four.last(chain, rule(target));
        }
        if (unknown.isEmpty()) {
            for (var target : there(chain)) {
                if (!wanted.contains(target)) {
                    four.remove(chain, rule(target));
                }
            }
        }
        four.first("FORWARD", "-i", FROM_TASKS, "-j", chain);
        return unknown;
    }

    /** Where a service is, or was when that was last known. */
    private Set<Target> targets(InetSocketAddress service) {
        var found = hosts.of(service.getHostString()).stream()
                .filter(Inet4Address.class::isInstance)
                .map(address -> new Target(address.getHostAddress(), service.getPort()))
                .collect(Collectors.toSet());
        if (!found.isEmpty()) {
            last.put(service, found);
        }
        return last.getOrDefault(service, Set.of());
    }

    private Set<Target> there(String chain) throws IOException, InterruptedException {
        return four.rules(chain).stream()
                .map(TARGET::matcher)
                .filter(java.util.regex.Matcher::find)
                .map(rule -> new Target(rule.group(1), Integer.parseInt(rule.group(2))))
                .collect(Collectors.toSet());
    }

    private static String[] rule(Target target) {
        return new String[] {"-d", target.address() + "/32", "-p", "tcp", "--dport", "" + target.port(), "-j", "DROP"};
    }
}
