package io.sluice.web.addresses;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where an address that somebody has written may lead. Whoever writes one is not the administrator of the network that the gateway stands in:
 * without a word of the operator it leads to public addresses only, never to this machine, its neighbours or what a cloud tells its machines.
 *
 * @param open by the operator's word
 */
public record Networks(List<Network> open) {
    public static final Networks PUBLIC = new Networks(List.of());
    private static final Pattern NUMBERS = Pattern.compile("[0-9a-fA-F.:]+");

    /** What no route of the internet leads to, beside what Java knows of. */
    private static final List<Network> INSIDE = List.of(
            Network.of("0.0.0.0/8"),
            Network.of("100.64.0.0/10"),
            Network.of("192.0.0.0/24"),
            Network.of("168.63.129.16/32"),
            Network.of("192.0.2.0/24"),
            Network.of("198.18.0.0/15"),
            Network.of("198.51.100.0/24"),
            Network.of("203.0.113.0/24"),
            Network.of("240.0.0.0/4"),
            Network.of("fc00::/7"),
            Network.of("64:ff9b::/96"),
            Network.of("64:ff9b:1::/48"),
            Network.of("2001::/23"),
            Network.of("2001:db8::/32"),
            Network.of("2002::/16"));

    public Networks {
        open = List.copyOf(open);
    }

    /** A range of addresses, as 10.0.0.0/8. */
    public record Network(InetAddress first, int bits) {
        public static Network of(String text) {
            String[] parts = text.split("/", -1);
            try {
                // a name would be asked of the network
                if (parts.length <= 2 && NUMBERS.matcher(parts[0]).matches() && parts[0].matches(".*[.:].*")) {
                    InetAddress first = InetAddress.getByName(parts[0]);
                    int most = first.getAddress().length * 8;
                    int bits = parts.length == 1 ? most : Integer.parseInt(parts[1]);
                    if (bits >= 0 && bits <= most) {
                        return new Network(first, bits);
                    }
                }
            } catch (UnknownHostException | NumberFormatException e) {
                throw new IllegalArgumentException(text + " is no range of addresses like 10.0.0.0/8.", e);
            }
            throw new IllegalArgumentException(text + " is no range of addresses like 10.0.0.0/8.");
        }

        boolean has(InetAddress address) {
            byte[] mine = first.getAddress();
            byte[] its = address.getAddress();
            if (mine.length != its.length) {
                return false;
            }
            int whole = bits / 8;
            int rest = bits % 8;
            int mask = 0xff << (8 - rest) & 0xff;
            return Arrays.equals(mine, 0, whole, its, 0, whole)
                    && (rest == 0 || (mine[whole] & mask) == (its[whole] & mask));
        }
    }

    public boolean allows(InetAddress address) {
        InetAddress plain = plain(address);
        return open.stream().anyMatch(network -> network.has(plain))
                || !(plain.isAnyLocalAddress()
                        || plain.isLoopbackAddress()
                        || plain.isLinkLocalAddress()
                        || plain.isSiteLocalAddress()
                        || plain.isMulticastAddress()
                        || INSIDE.stream().anyMatch(network -> network.has(plain)));
    }

    /** An IPv4 address in IPv6's clothes is what it is: ::ffff:10.0.0.1 Java undresses itself, ::10.0.0.1 it does not. */
    private static InetAddress plain(InetAddress address) {
        if (address instanceof Inet6Address six && six.isIPv4CompatibleAddress() && !six.isLoopbackAddress()) {
            try {
                return InetAddress.getByAddress(Arrays.copyOfRange(six.getAddress(), 12, 16));
            } catch (UnknownHostException e) {
                throw new IllegalStateException("four bytes are an address", e);
            }
        }
        return address;
    }
}
