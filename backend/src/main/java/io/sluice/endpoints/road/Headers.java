package io.sluice.endpoints.road;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which headers go on, and which do not. What the client says about itself or asks of us alone never arrives. */
final class Headers {
    /** Of one connection, whatever is on it; RFC 9110, 7.6.1. */
    static final Set<String> HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-authentication-info",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings");

    /** Said by proxies, and believed by apps: only ours are true. */
    static final Set<String> CLAIMS = Set.of(
            "forwarded",
            "x-real-ip",
            "x-client-ip",
            "true-client-ip",
            "x-cluster-client-ip",
            "x-original-url",
            "x-original-uri",
            "x-original-host",
            "x-rewrite-url",
            "x-host",
            "x-scheme",
            "x-script-name",
            "remote-user",
            "x-remote-user",
            "via");

    private static final List<String> CLAIM_PREFIXES =
            List.of("x-forwarded", "x-webauth-", "x-auth-request-", "x-sluice-");

    /** What an app says to a browser about more than itself. */
    static final Set<String> BEYOND = Set.of(
            "service-worker-allowed",
            "clear-site-data",
            "strict-transport-security",
            "public-key-pins",
            "public-key-pins-report-only",
            "cross-origin-opener-policy",
            "cross-origin-opener-policy-report-only",
            "cross-origin-resource-policy",
            "origin-agent-cluster",
            "alt-svc",
            "nel",
            "report-to",
            "reporting-endpoints",
            "expect-ct",
            "timing-allow-origin",
            "x-accel-redirect",
            "x-sendfile");

    private static final String GRANT = "access-control-";
    private static final String SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-downloads allow-modals";
    private static final boolean[] TOKEN = token();

    private Headers() {}

    /**
     * Who asks, seen from the app.
     *
     * @param space which the names of the app's cookies begin with in the browser
     * @param prefix of the addresses, which the app does not see; empty: it has an origin of its own
     */
    record Asker(String address, boolean secure, String host, int port, String origin, String space, String prefix) {
        /** Whether browsers take its pages for nobody's: without cookies, without storage, foreign to all. */
        boolean isNobody() {
            return !prefix.isEmpty();
        }

        /** Of the request, as the app gets it. */
        String uri(HttpServerRequest request) {
            return request.uri().substring(prefix.length());
        }
    }

    /** What the app is told, but cookies and the upgrade. Ours come last, so that nothing that was sent can take them away. */
    static void toApp(HttpServerRequest request, MultiMap out, Asker asker, App app) {
        Set<String> named = named(request.headers());
        String ownOrigin = origin(request.getHeader(HttpHeaders.ORIGIN), asker, app);
        String referer = referer(request.getHeader(HttpHeaders.REFERER), asker, app);
        for (Map.Entry<String, String> header : request.headers()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            switch (name) {
                case "host", "cookie", "expect", "origin", "referer" -> {}
                default -> {
                    if (!HOP.contains(name) && !named.contains(name) && !isClaim(name)) {
                        out.add(header.getKey(), header.getValue());
                    }
                }
            }
        }
        if (ownOrigin != null) {
            out.set(HttpHeaders.ORIGIN, ownOrigin);
        }
        if (referer != null) {
            out.set(HttpHeaders.REFERER, referer);
        }
        always(out, asker, app);
    }

    /** As the app knows itself; null: none was named. */
    static @Nullable String origin(@Nullable String origin, Asker asker, App app) {
        return origin == null ? null : app.rewriteHost() ? app.origin() : asker.isNobody() ? asker.origin() : origin;
    }

    /** Of the app's own pages only. */
    static @Nullable String referer(@Nullable String referer, Asker asker, App app) {
        if (referer == null
                || asker.isNobody()
                || !referer.startsWith(asker.origin() + "/")
                || referer.contains(Road.RESERVED)) {
            return null;
        }
        return app.rewriteHost()
                ? app.origin() + referer.substring(asker.origin().length())
                : referer;
    }

    /** What every app is told with every request. */
    static void always(MultiMap out, Asker asker, App app) {
        String host = Names.origin(asker.secure(), asker.host(), asker.port()).substring(asker.secure() ? 8 : 7);
        out.set(HttpHeaders.HOST, app.rewriteHost() ? app.origin().substring(7) : host);
        out.set("X-Forwarded-For", asker.address());
        out.set("X-Forwarded-Proto", asker.secure() ? "https" : "http");
        out.set("X-Forwarded-Host", host);
        out.set("X-Forwarded-Port", Integer.toString(asker.port() > 0 ? asker.port() : asker.secure() ? 443 : 80));
        if (asker.isNobody()) {
            out.set("X-Forwarded-Prefix", asker.prefix());
        }
        app.headers().forEach(out::set);
    }

    /** Names of letters, digits and the few signs that a name may have; values without what could end a line. */
    static boolean arePlain(MultiMap headers) {
        for (Map.Entry<String, String> header : headers) {
            String name = header.getKey();
            String value = header.getValue();
            if (name.isEmpty()) {
                return false;
            }
            for (int i = 0; i < name.length(); i++) {
                char letter = name.charAt(i);
                if (letter >= TOKEN.length || !TOKEN[letter]) {
                    return false;
                }
            }
            for (int i = 0; i < value.length(); i++) {
                char letter = value.charAt(i);
                if ((letter < ' ' && letter != '\t') || letter == 127) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean[] token() {
        var allowed = new boolean[128];
        for (char letter :
                "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".toCharArray()) {
            allowed[letter] = true;
        }
        return allowed;
    }

    /** Underscores and hyphens are the same to many an app. */
    static boolean isClaim(CharSequence name) {
        if ("xfrvt".indexOf(name.charAt(0) | 0x20) < 0) {
            return false;
        }
        String plain = name.toString().toLowerCase(Locale.ROOT).replace('_', '-');
        return CLAIMS.contains(plain) || CLAIM_PREFIXES.stream().anyMatch(plain::startsWith);
    }

    /** What a message says is of its connection only. */
    static Set<String> named(MultiMap headers) {
        List<String> lines = headers.getAll(HttpHeaders.CONNECTION);
        if (lines.isEmpty()) {
            return Set.of();
        }
        Set<String> named = new HashSet<>();
        for (String line : lines) {
            for (String name : line.split(",")) {
                named.add(name.strip().toLowerCase(Locale.ROOT));
            }
        }
        return named;
    }

    /** What an app would let other sites do. */
    static boolean isGrant(CharSequence name) {
        return name.length() > GRANT.length()
                && (name.charAt(0) | 0x20) == 'a'
                && AsciiString.regionMatches(name, true, 0, GRANT, 0, GRANT.length());
    }

    /** What the browser is told, but cookies, redirects and the upgrade. */
    static void toBrowser(MultiMap said, MultiMap out, Asker asker) {
        Set<String> named = named(said);
        for (Map.Entry<String, String> header : said) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!HOP.contains(name)
                    && !named.contains(name)
                    && !BEYOND.contains(name)
                    && !isGrant(name)
                    && !name.equals("set-cookie")
                    && !name.equals("location")
                    && !name.equals("refresh")) {
                out.add(header.getKey(), header.getValue());
            }
        }
        if (asker.isNobody()) {
            sandbox(out);
            return;
        }
        // beside what the app itself says of frames: another app must not put this one into a page of its own
        out.add("Content-Security-Policy", "frame-ancestors 'self'");
        out.set("Cross-Origin-Resource-Policy", "same-origin");
        if (!out.contains("Referrer-Policy")) {
            out.set("Referrer-Policy", "same-origin");
        }
    }

    /** At the portal's own address: whatever it is, a page, a picture or a fault, it runs as nobody's. */
    private static void sandbox(MultiMap out) {
        out.add("Content-Security-Policy", SANDBOX + "; frame-ancestors 'none'");
        out.set("X-Content-Type-Options", "nosniff");
        out.set("Access-Control-Allow-Origin", "null");
        out.set("Cross-Origin-Resource-Policy", "cross-origin");
        // the address is what lets in
        out.set("Referrer-Policy", "no-referrer");
    }

    /** Before a request that pages may only make of their own: they are, but have no name by which a browser could see it. */
    static void preflight(HttpServerRequest request, MultiMap out) {
        sandbox(out);
        out.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
        String asked = request.getHeader("Access-Control-Request-Headers");
        if (asked != null) {
            out.set("Access-Control-Allow-Headers", asked);
        }
        out.set("Access-Control-Max-Age", "600");
        out.set(HttpHeaders.VARY, "Access-Control-Request-Headers");
    }
}
