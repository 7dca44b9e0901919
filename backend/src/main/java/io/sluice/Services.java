package io.sluice;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the gateway uses on other machines, out of the addresses that it was given. */
final class Services {
    private static final Pattern HOST = Pattern.compile("\\w+://(?:[^@/]*@)?([^/?#]+).*", Pattern.DOTALL);
    private static final Pattern PORT = Pattern.compile("(.*):(\\d{1,5})");
    private static final Map<String, Integer> USUAL =
            Map.of("postgresql", 5432, "postgres", 5432, "http", 80, "https", 443);

    private Services() {}

    /** Of each address every host that it names, not looked up; none of what is no address. */
    static List<InetSocketAddress> of(String... addresses) {
        return Arrays.stream(addresses).flatMap(Services::hosts).distinct().toList();
    }

    private static Stream<InetSocketAddress> hosts(String address) {
        Matcher parts = HOST.matcher(address);
        if (!parts.matches()) {
            return Stream.empty();
        }
        Integer usual = USUAL.get(address.substring(0, address.indexOf(':')).toLowerCase(java.util.Locale.ROOT));
        return Arrays.stream(parts.group(1).split(","))
                .map(host -> host(host, usual))
                .filter(Objects::nonNull);
    }

    private static @Nullable InetSocketAddress host(String text, @Nullable Integer usual) {
        Matcher port = PORT.matcher(text);
        boolean said = port.matches();
        String host = said ? port.group(1) : text;
        int number = said ? Integer.parseInt(port.group(2)) : usual == null ? 0 : usual;
        return host.isEmpty() || number < 1 || number > 65_535
                ? null
                : InetSocketAddress.createUnresolved(host.replaceAll("^\\[|]$", ""), number);
    }
}
