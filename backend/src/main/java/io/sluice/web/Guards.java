package io.sluice.web;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What no request passes, whatever it asks for; and the headers that stand on every answer. */
final class Guards {
    /** Of a reply, no header of its answer: what its page may ask besides the portal. */
    static final String CONNECTS = "sluice-connects";

    private static final String POLICY = "Content-Security-Policy";

    /** Spellings that a second reader of the path may understand otherwise than the router: they are refused, not repaired. */
    private static final Pattern AMBIGUOUS = Pattern.compile(
            "//|\\\\|;|/\\.{1,2}(/|$)|%(00|0a|0d|25|2e|2f|3b|5c)|%(?![0-9a-f]{2})|[\\x00-\\x20\\x7f]",
            Pattern.CASE_INSENSITIVE);

    /** What no reader of a query can make text of, and no database keeps. */
    private static final Pattern UNREADABLE = Pattern.compile("%00|%(?![0-9a-fA-F]{2})");

    private static final Set<HttpMethod> CHANGING =
            Set.of(HttpMethod.POST, HttpMethod.PUT, HttpMethod.PATCH, HttpMethod.DELETE);

    private static final int ADDRESSES = 10_000;
    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final boolean tls;
    private final int callsPerMinute;
    private final Runnable refused;
    /** Of addresses that have not been seen for long, the count is forgotten. */
    private final Map<String, Calls> calls = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Calls> eldest) {
            return size() > ADDRESSES;
        }
    };

    private record Calls(long began, int count) {}

    /** @param refused is told of each call that was one too many */
    Guards(boolean tls, int callsPerMinute, Runnable refused) {
        this.tls = tls;
        this.callsPerMinute = callsPerMinute;
        this.refused = refused;
    }

    /** The problem of a call of the API by a program that is one too many, or null. */
    @Nullable
    Problem tooOften(String path, String address) {
        return Edge.isApi(path) ? tooOften(address, System.nanoTime()) : null;
    }

    private @Nullable Problem tooOften(String address, long now) {
        synchronized (calls) {
            Calls so = calls.get(address);
            if (so == null || now - so.began() >= MINUTE_NANOS) {
                so = new Calls(now, 0);
            }
            if (so.count() >= callsPerMinute) {
                refused.run();
                return Problem.tooMany(
                        "More than " + callsPerMinute + " calls of the API came from " + address
                                + " within a minute. Wait a little.",
                        Duration.ofNanos(MINUTE_NANOS - (now - so.began())).plusSeconds(1));
            }
            calls.put(address, new Calls(so.began(), so.count() + 1));
            return null;
        }
    }

    void headers(MultiMap headers, String nonce) {
        headers.set(POLICY, policy(nonce))
                .set("X-Content-Type-Options", "nosniff")
                .set("X-Frame-Options", "DENY")
                // not no-referrer: with it a browser sends "Origin: null" with forms, and the same-origin check fails
                .set("Referrer-Policy", "same-origin")
                .set("Cross-Origin-Opener-Policy", "same-origin")
                .set("Cross-Origin-Resource-Policy", "same-origin")
                .set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
                .set(HttpHeaders.CACHE_CONTROL, "no-store");
        if (tls) {
            headers.set("Strict-Transport-Security", "max-age=31536000");
        }
    }

    /** The headers of one answer, beside those that stand on every one. */
    static void answer(Map<String, String> said, MultiMap headers) {
        said.forEach((name, value) -> {
            if (name.equals(CONNECTS)) {
                headers.set(POLICY, headers.get(POLICY).replace("connect-src 'self'", "connect-src 'self' " + value));
            } else {
                headers.set(name, value);
            }
        });
    }

    private static String policy(String nonce) {
        return "default-src 'none'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self' 'nonce-" + nonce
                + "'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none';"
                + " frame-ancestors 'none'";
    }

    /** The fault of an address that could be read in two ways or in none, or null. */
    @Nullable
    Problem ambiguous(String path, String query) {
        if (!path.startsWith("/") || AMBIGUOUS.matcher(path).find()) {
            return Problem.invalid(
                    "The path is not written plainly. Send it without doubled or encoded slashes, dots, semicolons or control characters.");
        }
        return UNREADABLE.matcher(query).find()
                ? Problem.invalid("The query can not be decoded. Send a percent sign as %25, and no NUL.")
                : null;
    }

    /**
     * A change must come from a page of ours. Browsers say where a request comes from; a program that shows no cookie has nothing that
     * a foreign page could use.
     */
    @Nullable
    Problem foreign(HttpServerRequest request) {
        if (!CHANGING.contains(request.method()) && request.getHeader(HttpHeaders.UPGRADE) == null) {
            return null;
        }
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin != null) {
            return isOurs(origin, request) ? null : refusal();
        }
        boolean fromPage =
                request.getHeader(HttpHeaders.COOKIE) != null && request.getHeader(HttpHeaders.AUTHORIZATION) == null;
        return fromPage && !"same-origin".equals(request.getHeader("Sec-Fetch-Site")) ? refusal() : null;
    }

    private boolean isOurs(String origin, HttpServerRequest request) {
        var authority = request.authority();
        if (authority == null) {
            return false;
        }
        String lower = origin.toLowerCase(Locale.ROOT);
        String port = authority.port() > 0 ? ":" + authority.port() : "";
        String host = authority.host().toLowerCase(Locale.ROOT) + port;
        // behind a proxy that ends TLS only the browser knows the scheme, but once we speak TLS ourselves a plain page
        // is a stranger
        return lower.equals("https://" + host) || (!tls && lower.equals("http://" + host));
    }

    private static Problem refusal() {
        return Problem.of(
                Problem.Kind.FORBIDDEN,
                "This change was not sent by a page of this portal. Open the portal itself and try again there.");
    }

    /** Why this caller may not; null: they may. */
    static @Nullable Problem refusal(Route route, Call.Passage passage) {
        Caller caller = passage.caller();
        if (route.access() == Route.Access.ANYONE) {
            return null;
        }
        if (caller == null) {
            Problem problem = passage.refusal();
            return problem != null
                    ? problem
                    : Problem.of(Problem.Kind.UNAUTHENTICATED, "Guest is not allowed to do this operation.");
        }
        if (caller.kind() == Caller.Kind.APPLICATION && !route.applications()) {
            return Problem.of(Problem.Kind.FORBIDDEN, "Applications are not allowed to do this operation.");
        }
        String scope = route.scope();
        if (!caller.may(scope == null ? "*" : scope)) {
            return Problem.of(
                    Problem.Kind.FORBIDDEN,
                    scope == null
                            ? "This operation needs a token with every right."
                            : "This token lacks the right " + scope + ". Make one that has it on your profile page.");
        }
        return route.access() == Route.Access.ADMIN && !caller.admin()
                ? Problem.of(Problem.Kind.FORBIDDEN, "Non-admin is not allow to do this operation.")
                : null;
    }
}
