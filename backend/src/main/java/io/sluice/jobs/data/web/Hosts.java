package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.web.addresses.Networks;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The hosts that data may come from: those with public addresses, and those that the operator has named.
 *
 * @param named as {@code host} or {@code host:port}
 */
public record Hosts(Set<String> named) {
    public static final Hosts PUBLIC = new Hosts(Set.of());
    /** As the C library of this machine tells it, in its language. */
    private static final Pattern PASSING = Pattern.compile("[Tt]emporary failure|[Tt]ry again|暂时失败");

    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern NAME = Pattern.compile("(?:[a-z0-9._-]+|\\[[0-9a-f:]+])(?::([0-9]{1,5}))?");

    public Hosts {
        named = Set.copyOf(named);
    }

    /** Where to connect, without asking for the name again. */
    public record Place(String host, int port, boolean tls, InetAddress address) {}

    /** As the operator lists them. */
    public static Hosts read(String text, List<String> faults) {
        Set<String> all = new TreeSet<>();
        for (String one : Arrays.stream(text.split(",")).map(String::strip).toList()) {
            var name = NAME.matcher(one.toLowerCase(Locale.ROOT));
            if (name.matches() && (name.group(1) == null || Integer.parseInt(name.group(1)) <= HIGHEST_PORT)) {
                all.add(name.group());
            } else if (!one.isEmpty()) {
                faults.add("--data-hosts " + one
                        + " is no host. Give names or addresses like git.lab or 10.1.2.3:8080, comma-separated.");
            }
        }
        return new Hosts(all);
    }

    public static URI address(String text) throws StoreFault {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new StoreFault(Why.REFUSED, "An address of its data is none: " + e.getReason() + ".", e);
        }
    }

    /** For people and logs: what is asked for may be the key to it. */
    public static String shown(URI address) {
        int query = address.toString().indexOf('?');
        return query < 0 ? address.toString() : address.toString().substring(0, query) + "?…";
    }

    /** Of an address that may be asked: its name is resolved here and nowhere else. */
    Place place(URI address) throws StoreFault {
        boolean tls = "https".equalsIgnoreCase(address.getScheme());
        boolean plain = "http".equalsIgnoreCase(address.getScheme());
        if (String.valueOf(address.getRawAuthority()).indexOf('@') >= 0) {
            throw new StoreFault(
                    Why.REFUSED,
                    "An address with a user's name or password in it is not asked: everybody who sees the job could read it. Take it out, or fetch this in the commands with a secret of the job.");
        }
        if ((!tls && !plain) || address.getHost() == null) {
            throw new StoreFault(Why.REFUSED, shown(address) + " is no address like https://host/path.");
        }
        String host = address.getHost().toLowerCase(Locale.ROOT);
        int port = address.getPort() >= 0 ? address.getPort() : tls ? 443 : 80;
        if (port == 0 || port > HIGHEST_PORT) {
            throw new StoreFault(Why.REFUSED, shown(address) + " has a port that is none.");
        }
        return new Place(host, port, tls, resolved(host, named.contains(host) || named.contains(host + ":" + port)));
    }

    /** One that was asked for a moment ago is told without a reason: it may be either, until it is asked for again. */
    static StoreFault unknown(String host, UnknownHostException e) {
        String why = String.valueOf(e.getMessage());
        return why.equals(host) || PASSING.matcher(why).find()
                ? new StoreFault(Why.AWAY, "No name server has told the address of " + host + ".", e)
                : new StoreFault(Why.NO_OBJECT, host + " has no address. Look at its spelling.", e);
    }

    private static InetAddress resolved(String host, boolean named) throws StoreFault {
        try {
            InetAddress[] all = InetAddress.getAllByName(host);
            for (InetAddress one : all) {
                if (!named && (!Networks.PUBLIC.allows(one) || NetworkInterface.getByInetAddress(one) != null)) {
                    throw new StoreFault(
                            Why.REFUSED,
                            host + " is " + one.getHostAddress()
                                    + ", which is no public address. Your administrator opens hosts with --data-hosts.");
                }
            }
            return Objects.requireNonNull(all[0]);
        } catch (UnknownHostException e) {
            throw unknown(host, e);
        } catch (SocketException e) {
            throw new StoreFault(Why.AWAY, "This machine does not tell its own addresses: " + e.getMessage(), e);
        }
    }
}
