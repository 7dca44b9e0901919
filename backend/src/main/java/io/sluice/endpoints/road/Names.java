package io.sluice.endpoints.road;

import io.vertx.core.net.HostAndPort;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses are endpoints'. Each has a name of its own beneath one suffix, so that browsers keep them apart from
 * the portal and from one another.
 *
 * @param suffix without a dot before it; empty: there is none, and no endpoint has a name
 */
public record Names(String suffix) {
    public static final String LOCAL = "localhost";
    public static final Names NONE = new Names("");
    private static final Pattern ID = Pattern.compile("[a-z0-9]{20}");
    private static final Pattern DOMAIN =
            Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*");

    public static boolean isDomain(String name) {
        return name.length() <= 200 && DOMAIN.matcher(name).matches();
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** Whether this name is one of an endpoint, known or not. */
    boolean owns(@Nullable HostAndPort authority) {
        return id(authority) != null;
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
    public String origin(String id, boolean secure, HostAndPort portal) {
        return origin(secure, id + "." + suffix, portal.port());
    }
}
