package io.sluice.web;

import io.vertx.core.Future;
import io.vertx.core.http.Cookie;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells who is calling. The identity room fills it; the edge asks it once for every request, and again while a stream stays open. */
public interface Authenticator {
    String SESSION_COOKIE = "sluice_session";
    String REFRESH_COOKIE = "sluice_refresh";

    /** The name that a cookie goes by: over TLS with the prefix that keeps neighbours from setting it. */
    static String cookieName(String name, boolean secure) {
        return secure ? "__Host-" + name : name;
    }

    /** All values of a name, as there may be more than one and only one of them ours. */
    static List<String> cookies(List<String> lines, String name) {
        List<String> values = new ArrayList<>(1);
        for (String line : lines) {
            int at = 0;
            while (at < line.length()) {
                int end = line.indexOf(';', at);
                int stop = end < 0 ? line.length() : end;
                while (at < stop && line.charAt(at) == ' ') {
                    at++;
                }
                if (line.startsWith(name, at) && at + name.length() < stop && line.charAt(at + name.length()) == '=') {
                    values.add(line.substring(at + name.length() + 1, stop).strip());
                }
                at = stop + 1;
            }
        }
        return values;
    }

    /** Never fails for a credential that is merely wrong: that is a verdict with a problem. */
    Future<Verdict> authenticate(Credentials shown);

    /** Whether a caller admitted earlier would still be admitted. */
    Future<Boolean> stillValid(Caller caller);

    /**
     * What a request showed.
     *
     * @param secure whether it came over TLS, which decides the names and flags of cookies
     */
    record Credentials(
            @Nullable String authorization,
            @Nullable String session,
            @Nullable String refresh,
            boolean secure,
            String address,
            String userAgent) {
        /** As browsers do; a header comes before cookies. */
        boolean byCookie() {
            return authorization == null && (session != null || refresh != null);
        }
    }

    /**
     * @param caller null for nobody
     * @param problem why the credential was not accepted; answered only where a caller is needed
     * @param cookies to be set with whatever answer follows
     */
    record Verdict(@Nullable Caller caller, @Nullable Problem problem, List<Cookie> cookies) {
        public static final Verdict NOBODY = new Verdict(null, null, List.of());

        public static Verdict of(Caller caller) {
            return new Verdict(caller, null, List.of());
        }

        public static Verdict refused(Problem problem) {
            return new Verdict(null, problem, List.of());
        }
    }
}
