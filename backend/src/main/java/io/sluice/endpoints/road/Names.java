package io.sluice.endpoints.road;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses are endpoints'. Each has a name of its own beneath one suffix, or where there are no names a port of its
 * own, so that browsers keep them apart from the portal and from one another.
 *
 * @param suffix without a dot before it; empty: there is none, and no endpoint has a name
 * @param first of the ports; 0: there are none
 */
public record Names(String suffix, int first, int last) {
    public static final String LOCAL = "localhost";
    public static final Names NONE = new Names("", 0, 0);
    private static final int LOWEST = 1_024;
    private static final int HIGHEST = 65_535;
    private static final int MOST = 1_000;
    private static final Pattern RANGE = Pattern.compile("(\\d{1,5})-(\\d{1,5})");
    private static final Pattern ID = Pattern.compile("[a-z0-9]{20}");
    private static final Pattern DOMAIN =
            Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

    public static Names beneath(String suffix) {
        return new Names(suffix, 0, 0);
    }

    public static Names ports(int first, int last) {
        return new Names("", first, last);
    }

    /**
     * As settings have it; what is wrong with them goes to the faults.
     *
     * @param host on which the portal listens
     * @param local whether only this machine connects
     */
    public static Names read(String domain, String range, String host, boolean local, List<String> faults) {
        if (!range.isEmpty()) {
            if (!domain.isEmpty()) {
                faults.add("--apps-domain and --endpoint-ports do the same in two ways: give one of them.");
            }
            return ports(range, faults);
        }
        String plain = domain.toLowerCase(Locale.ROOT).replaceFirst("^\\*?\\.", "");
        if (plain.isEmpty()) {
            return local ? beneath(LOCAL) : NONE;
        }
        if (!isDomain(plain)) {
            faults.add("--apps-domain " + domain + " is no domain. Give one like apps.example.org.");
        } else if (host.equals(plain) || host.endsWith("." + plain)) {
            faults.add("--apps-domain " + domain + " has the portal's own name, " + host
                    + ", beneath it, where apps could set cookies for it. Give one that has not.");
        }
        return beneath(plain);
    }

    private static Names ports(String text, List<String> faults) {
        Matcher range = RANGE.matcher(text);
        int first = range.matches() ? Integer.parseInt(range.group(1)) : 0;
        int last = range.matches() ? Integer.parseInt(range.group(2)) : 0;
        if (first < LOWEST || last > HIGHEST || first > last || last - first >= MOST) {
            faults.add("--endpoint-ports " + text + " is no range of at most " + MOST + " ports between " + LOWEST
                    + " and " + HIGHEST + ". Give one like 18000-18199.");
        }
        return ports(first, last);
    }

    private static boolean isDomain(String name) {
        return name.length() <= 200 && DOMAIN.matcher(name).matches();
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    public boolean hasPorts() {
        return first > 0;
    }

    /** Whether an endpoint can be gone to at all. */
    public boolean isOpen() {
        return hasPorts() || !suffix.isEmpty();
    }

    public List<Integer> ports() {
        return hasPorts() ? IntStream.rangeClosed(first, last).boxed().toList() : List.of();
    }

    /** Whether a request is for an endpoint, known or not. */
    boolean owns(HttpServerRequest request) {
        return hasPorts() ? port(request) > 0 : id(request.authority()) != null;
    }

    /** The endpoints' port on which a request came; 0: it came on another. */
    int port(HttpServerRequest request) {
        int port = request.localAddress().port();
        return hasPorts() && port >= first && port <= last ? port : 0;
    }

    /** What stands before the suffix; null: it is a name of something else. */
    @Nullable
    String id(@Nullable HostAndPort authority) {
        if (authority == null || suffix.isEmpty()) {
            return null;
        }
        String host = authority.host();
        int dot = host.length() - suffix.length() - 1;
        return dot > 0 && host.charAt(dot) == '.' && host.regionMatches(true, dot + 1, suffix, 0, suffix.length())
                ? host.substring(0, dot).toLowerCase(Locale.ROOT)
                : null;
    }

    /** As a browser writes it. */
    static String origin(boolean secure, String host, int port) {
        boolean usual = port <= 0 || port == (secure ? 443 : 80);
        return (secure ? "https://" : "http://") + host + (usual ? "" : ":" + port);
    }

    /** Where an endpoint is, for a browser that came to the portal at this authority. */
    public String origin(String id, @Nullable Integer port, boolean secure, HostAndPort portal) {
        return hasPorts()
                ? origin(secure, portal.host(), port == null ? 0 : port)
                : origin(secure, id + "." + suffix, portal.port());
    }
}
