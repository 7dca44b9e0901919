package io.sluice.endpoints.road;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Addresses, as they are asked for and as apps send browsers on. */
final class Paths {
    /** Steps up or on the spot, however they are written; what ends a text or a line; what is no address at all. */
    private static final Pattern BAD_PATH = Pattern.compile(
            "(^|/)(\\.|%2e){1,2}(/|;|%2f|%5c|$)|%(00|0a|0d|5c)|%(?![0-9a-f]{2})|[\\x00-\\x20\\x7f-\\x{10ffff}\\\\\"<>^`{}|#]",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BAD_QUERY =
            Pattern.compile("[\\x00-\\x20\\x7f-\\x{10ffff}#]|%(00|0a|0d)", Pattern.CASE_INSENSITIVE);
    private static final Set<String> HERE = Set.of("127.0.0.1", "localhost", "[::1]", "0.0.0.0");

    private Paths() {}

    /** Whether it can be read in one way only, by us and by whatever the app is. */
    static boolean isPlain(String uri) {
        if (!uri.startsWith("/")) {
            return false;
        }
        int question = uri.indexOf('?');
        String path = question < 0 ? uri : uri.substring(0, question);
        return isSimple(path)
                ? question < 0 || !BAD_QUERY.matcher(uri).find(question)
                : !BAD_PATH.matcher(path).find()
                        && (question < 0
                                || !BAD_QUERY.matcher(uri.substring(question)).find());
    }

    /** Of most it is clear at once. */
    private static boolean isSimple(String path) {
        for (int i = 0; i < path.length(); i++) {
            char letter = path.charAt(i);
            boolean plain = (letter >= 'a' && letter <= 'z')
                    || (letter >= 'A' && letter <= 'Z')
                    || (letter >= '0' && letter <= '9')
                    || letter == '/'
                    || letter == '-'
                    || letter == '_';
            if (!plain) {
                return false;
            }
        }
        return true;
    }

    /** Where to go on to, if it is on the same site and nowhere else. */
    static String local(@Nullable String wanted) {
        return wanted != null
                        && wanted.length() <= 4_000
                        && wanted.startsWith("/")
                        && !wanted.startsWith("//")
                        && isPlain(wanted)
                        && !wanted.startsWith(Road.RESERVED)
                ? wanted
                : "/";
    }

    /** Where an app sends a browser: to itself without a name, so that the one it is known by here stays; elsewhere as it said. */
    static @Nullable String redirect(String location, Headers.Asker asker, App app) {
        String text = location.strip();
        if (text.chars().anyMatch(letter -> letter < ' ' || letter == 127) || text.length() > 16_000) {
            return null;
        }
        if (text.startsWith("/") && !text.startsWith("//")) {
            // also what is no address as it is written: browsers are less strict
            return asker.prefix() + text;
        }
        try {
            URI uri = new URI(text);
            String host = uri.getHost();
            String scheme = uri.getScheme();
            if (host == null
                    || scheme == null
                    || !scheme.toLowerCase(Locale.ROOT).startsWith("http")) {
                return text;
            }
            boolean itself = (HERE.contains(host) || host.equals(app.address().host()))
                    && uri.getPort() == app.address().port();
            if (!itself) {
                return text;
            }
            String path = uri.getRawPath();
            // two slashes at the beginning would be another's name
            String rest = path.replaceFirst("^/*", "/")
                    + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery())
                    + (uri.getRawFragment() == null ? "" : "#" + uri.getRawFragment());
            return asker.origin() + asker.prefix() + rest;
        } catch (URISyntaxException e) {
            return text;
        }
    }
}
