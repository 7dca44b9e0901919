package io.sluice.endpoints.road;

import io.netty.util.AsciiString;
import io.sluice.endpoints.road.Fates.Fate;
import io.sluice.endpoints.road.lines.Text;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Of an app's answer what is not just handed on: cookies, redirects, and how long it is. */
final class Answers {
    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;
    private static final byte[] NOTHING = ascii("content-length: 0\r\n");
    private static final byte[] OURS =
            ascii("content-security-policy: frame-ancestors 'self'\r\ncross-origin-resource-policy: same-origin\r\n");
    private static final CharSequence REFERRER_POLICY = HttpHeaders.createOptimized("referrer-policy");
    private static final byte[] POLICY = ascii("referrer-policy: same-origin\r\n");

    private Answers() {}

    static void finish(
            MultiMap said,
            int status,
            HttpServerResponse response,
            HttpServerRequest request,
            Headers.Asker asker,
            App app) {
        cookies(said, response, asker);
        String location = said.get(HttpHeaders.LOCATION);
        if (location != null) {
            String redirect = Paths.redirect(location, asker, app);
            if (redirect != null) {
                response.headers().set(HttpHeaders.LOCATION, redirect);
            }
        }
        if (request.version() == HttpVersion.HTTP_2 && !response.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
            // named, it is not compressed once more
            response.headers().set(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
        }
        if (!response.headers().contains(HttpHeaders.CONTENT_LENGTH)
                && status != 204
                && status != 304
                && request.version() != HttpVersion.HTTP_2) {
            response.setChunked(true);
        }
    }

    static void cookies(MultiMap said, HttpServerResponse response, Headers.Asker asker) {
        if (!asker.isNobody()) { // else they would be the portal's
            Cookies.toBrowser(said.getAll(HttpHeaders.SET_COOKIE), asker.secure(), asker.space())
                    .forEach(cookie -> response.headers().add(HttpHeaders.SET_COOKIE, cookie));
        }
    }

    /**
     * The same for who goes the short way, written as it travels; what is kept back and what is added is as in
     * {@link Headers#toBrowser}.
     *
     * @return whether it says how long its body is
     * @throws IllegalArgumentException a name or a value that there can not be
     */
    static boolean tell(MultiMap said, int status, Text text, Headers.Asker asker, App app) {
        Set<String> named = named(said);
        boolean unmeasured = status == NO_CONTENT || status == RESET_CONTENT;
        boolean measured = false;
        boolean policy = false;
        Iterator<Map.Entry<CharSequence, CharSequence>> fields =
                ((io.netty.handler.codec.http.HttpHeaders) said).iteratorCharSequence();
        while (fields.hasNext()) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            CharSequence name = field.getKey();
            Fate fate = fate(name, named);
            if (fate == Fate.LOOKED_AT) {
                boolean length = AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.CONTENT_LENGTH);
                boolean own = AsciiString.contentEqualsIgnoreCase(name, REFERRER_POLICY);
                measured |= length;
                policy |= own;
                fate = own || (length && !unmeasured) ? Fate.KEPT : Fate.DROPPED;
            }
            if (fate == Fate.KEPT) {
                say(text, name, field.getValue());
            }
        }
        text.add(OURS);
        if (!policy) {
            text.add(POLICY);
        }
        if (status == RESET_CONTENT) {
            text.add(NOTHING);
        }
        anew(said, text, asker, app);
        return measured || status == RESET_CONTENT;
    }

    private static Fate fate(CharSequence name, Set<String> named) {
        Fate fate = Fates.ANSWERED.of(name);
        boolean dropped = fate != Fate.DROPPED
                && ((!named.isEmpty() && named.contains(name.toString().toLowerCase(Locale.ROOT)))
                        || Headers.isGrant(name));
        return dropped ? Fate.DROPPED : fate;
    }

    private static Set<String> named(MultiMap said) {
        String connection = said.get(HttpHeaders.CONNECTION);
        boolean usual = connection == null || connection.equals("keep-alive") || connection.equalsIgnoreCase("close");
        return usual && said.getAll(HttpHeaders.CONNECTION).size() <= 1 ? Set.of() : Headers.named(said);
    }

    /** Cookies and redirects. */
    private static void anew(MultiMap said, Text text, Headers.Asker asker, App app) {
        String location = said.get(HttpHeaders.LOCATION);
        String redirect = location == null ? null : Paths.redirect(location, asker, app);
        if (redirect != null) {
            say(text, HttpHeaders.LOCATION, redirect);
        }
        List<String> cookies = said.getAll(HttpHeaders.SET_COOKIE);
        if (!cookies.isEmpty()) {
            Cookies.toBrowser(cookies, asker.secure(), asker.space())
                    .forEach(cookie -> say(text, HttpHeaders.SET_COOKIE, cookie));
        }
    }

    private static void say(Text text, CharSequence name, CharSequence value) {
        if (!text.field(name, value)) {
            throw new IllegalArgumentException("no header: " + name);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
