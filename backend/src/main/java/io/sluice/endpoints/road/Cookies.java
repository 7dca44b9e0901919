package io.sluice.endpoints.road;

import io.sluice.web.Authenticator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whose cookies are whose. Ours never reach an app, and an app sets none but for its own name and below ours. */
final class Cookies {
    static final String PASS = "sluice_pass";
    static final String PORTAL = "sluice_portal";
    private static final int MONTH_SECONDS = 30 * 24 * 3_600;
    private static final Pattern ORIGIN =
            Pattern.compile("https?://([A-Za-z0-9.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}])(:\\d{1,5})?");
    private static final int MOST = 50;
    private static final int BYTES = 8 << 10;
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");

    private Cookies() {}

    /** Over TLS with the prefix that keeps neighbours from setting it. */
    static String passName(boolean secure, String id) {
        return (secure ? "__Host-" : "") + PASS + "_" + id;
    }

    static String pass(boolean secure, String id, String token) {
        return passName(secure, id) + "=" + token + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "");
    }

    /** Where this browser came from, for as long as it may want to go back there; another's is none of its business. */
    static String portal(boolean secure, String id, String origin) {
        return portalName(secure, id) + "=" + origin + "; Path=/; HttpOnly; SameSite=Lax; Max-Age=" + MONTH_SECONDS
                + (secure ? "; Secure" : "");
    }

    static @Nullable String portal(List<String> lines, boolean secure, String id) {
        return Authenticator.cookies(lines, portalName(secure, id)).stream()
                .filter(origin -> ORIGIN.matcher(origin).matches())
                .findFirst()
                .orElse(null);
    }

    private static String portalName(boolean secure, String id) {
        return (secure ? "__Host-" : "") + PORTAL + "_" + id;
    }

    /**
     * What the app is shown; null: nothing.
     *
     * @param space which the names of this app's cookies begin with, as other apps have the same host; empty: they have not
     */
    static @Nullable String toApp(List<String> lines, String space) {
        if (lines.isEmpty()) {
            return null;
        }
        var kept = new StringBuilder();
        int count = 0;
        for (String line : lines) {
            for (String pair : line.split(";")) {
                String cookie = pair.strip();
                int equals = cookie.indexOf('=');
                String name = equals < 0 ? cookie : cookie.substring(0, equals).strip();
                if (!cookie.isEmpty()
                        && !isOurs(name)
                        && name.startsWith(space)
                        && ++count <= MOST
                        && kept.length() + cookie.length() <= BYTES) {
                    kept.append(kept.isEmpty() ? "" : "; ").append(cookie, space.length(), cookie.length());
                }
            }
        }
        return kept.isEmpty() ? null : kept.toString();
    }

    /** What the app may set, without what would carry it further; null: nothing of it. */
    private static @Nullable String toBrowser(String line, boolean secure, String space) {
        var parts = line.split(";");
        int equals = parts[0].indexOf('=');
        String name = equals < 0 ? "" : parts[0].substring(0, equals).strip();
        if (!NAME.matcher(name).matches() || isOurs(name) || line.length() > BYTES) {
            return null;
        }
        var kept = new StringBuilder(space).append(parts[0].strip());
        for (int i = 1; i < parts.length; i++) {
            String attribute = parts[i].strip();
            String word = attribute.toLowerCase(Locale.ROOT);
            boolean widens = word.startsWith("domain") || word.startsWith("partitioned");
            if (!widens && !(word.equals("secure") && !secure) && !(word.equals("samesite=none") && !secure)) {
                kept.append("; ").append(attribute);
            }
        }
        return kept.toString();
    }

    /** Of all that it sets what it may, and no more than browsers keep. */
    static List<String> toBrowser(List<String> lines, boolean secure, String space) {
        var kept = new ArrayList<String>();
        int bytes = 0;
        for (String line : lines) {
            String cookie = toBrowser(line, secure, space);
            if (cookie != null) {
                bytes += cookie.length();
                if (kept.size() < MOST && bytes <= BYTES) {
                    kept.add(cookie);
                }
            }
        }
        return kept;
    }

    private static boolean isOurs(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        return plain.startsWith("sluice_")
                || plain.startsWith("__host-sluice_")
                || plain.startsWith("__secure-sluice_");
    }
}
