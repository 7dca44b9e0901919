package io.sluice.endpoints.road;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses are endpoints'. Each has a name of its own beneath one suffix, or where there are no names a port of its
 * own, so that browsers keep them apart from the portal and from one another. Where there is neither, they live inside of the
 * portal's address, in pages that browsers take for nobody's.
 *
 * @param suffix without a dot before it; empty: there is none, and no endpoint has a name
 * @param first of the ports; 0: there are none
 */
public record Names(String suffix, int first, int last) {
    public static final String LOCAL = "localhost";
    public static final Names INSIDE = new Names("", 0, 0);
    private static final String NOWHERE = "none";
    private static final String APPS = "/apps/";
    private static final Pattern INNER = Pattern.compile("/apps/([a-z0-9]{20})(?:/([A-Za-z0-9_-]{43})(?=/))?(?=/).*");
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
     * @param port of the portal; 0: any free one
     * @param local whether only this machine connects
     */
    public static Names read(String domain, String range, String host, int port, boolean local, List<String> faults) {
        if (!range.isEmpty()) {
            if (!domain.isEmpty()) {
                faults.add("--apps-domain and --endpoint-ports do the same in two ways: give one of them.");
            }
            return ports(range, port, faults);
        }
        String plain = domain.toLowerCase(Locale.ROOT).replaceFirst("^\\*?\\.", "");
        if (plain.isEmpty()) {
            return local ? beneath(LOCAL) : INSIDE;
        }
        if (plain.equals(NOWHERE)) {
            return INSIDE;
        }
        if (!isDomain(plain)) {
            faults.add("--apps-domain " + domain + " is no domain. Give one like apps.example.org.");
        } else if (host.equals(plain) || host.endsWith("." + plain)) {
            faults.add("--apps-domain " + domain + " has the portal's own name, " + host
                    + ", beneath it, where apps could set cookies for it. Give one that has not.");
        }
        return beneath(plain);
    }

    private static Names ports(String text, int port, List<String> faults) {
        Matcher range = RANGE.matcher(text);
        int first = range.matches() ? Integer.parseInt(range.group(1)) : 0;
        int last = range.matches() ? Integer.parseInt(range.group(2)) : 0;
        if (first < LOWEST || last > HIGHEST || first > last || last - first >= MOST) {
            faults.add("--endpoint-ports " + text + " is no range of at most " + MOST + " ports between " + LOWEST
                    + " and " + HIGHEST + ". Give one like 18000-18199.");
        }
        Names names = ports(first, last);
        if (names.hasPort(port)) {
            faults.add("--port " + port + " is one of --endpoint-ports " + text
                    + ", where nobody would get to the portal. Give one that is not.");
        }
        return names;
    }

    private static boolean isDomain(String name) {
        return name.length() <= 200 && DOMAIN.matcher(name).matches();
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    private boolean hasPort(int port) {
        return hasPorts() && port >= first && port <= last;
    }

    public boolean hasPorts() {
        return first > 0;
    }

    /** Whether endpoints share the portal's own origin, so that what they answer must be kept from it. */
    public boolean isInside() {
        return !hasPorts() && suffix.isEmpty();
    }

    public List<Integer> ports() {
        return hasPorts() ? IntStream.rangeClosed(first, last).boxed().toList() : List.of();
    }

    /** Whether a request is for an endpoint, known or not. */
    boolean owns(HttpServerRequest request) {
        return hasPorts()
                ? port(request) > 0
                : isInside() ? request.uri().startsWith(APPS) : id(request.authority()) != null;
    }

    /**
     * Where a request wants to go.
     *
     * @param id of nothing that is known, if it is empty
     * @param prefix of the address before what is the app's; empty: all of it is
     * @param token shown in the address; null: none
     */
    record Way(String id, String prefix, @Nullable String token) {}

    Way way(HttpServerRequest request, HostAndPort authority, IntFunction<@Nullable String> atPort) {
        if (isInside()) {
            Matcher inner = INNER.matcher(request.uri());
            return inner.matches()
                    ? inside(inner.group(1), inner.group(2))
                    : new Way("", APPS.substring(0, APPS.length() - 1), null);
        }
        String id = hasPorts() ? atPort.apply(port(request)) : id(authority);
        return new Way(id == null ? "" : id, "", null);
    }

    static Way inside(String id, @Nullable String token) {
        return new Way(id, APPS + id + (token == null ? "" : "/" + token), token);
    }

    /** The endpoints' port on which a request came; 0: it came on another. */
    int port(HttpServerRequest request) {
        int port = request.localAddress().port();
        return hasPort(port) ? port : 0;
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

    /** Where a browser is that came to this authority. */
    public static String origin(boolean secure, HostAndPort authority) {
        return origin(secure, authority.host(), authority.port());
    }

    /** Where an endpoint begins, for a browser that came to the portal at this authority. */
    public String origin(String id, @Nullable Integer port, boolean secure, HostAndPort portal) {
        if (isInside()) {
            return origin(secure, portal.host(), portal.port())
                    + inside(id, null).prefix();
        }
        return hasPorts()
                ? origin(secure, portal.host(), port == null ? 0 : port)
                : origin(secure, id + "." + suffix, portal.port());
    }
}
