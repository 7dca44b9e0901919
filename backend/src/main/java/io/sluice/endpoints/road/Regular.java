package io.sluice.endpoints.road;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AsciiString;
import io.sluice.endpoints.road.Fates.Fate;
import io.sluice.endpoints.road.lines.Guide;
import io.sluice.endpoints.road.lines.Lines;
import io.sluice.endpoints.road.lines.Text;
import io.sluice.endpoints.road.passes.Pass;
import io.sluice.web.Web;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who has come once on a connection and was let in, and comes again in the same way: to the same name with the same pass. All
 * that the long way looks at is looked at here too; what is not as usual goes there.
 */
final class Regular implements Guide {
    private static final Set<HttpMethod> PLAIN = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
    private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\n");

    private final Web.Stay stay;
    private final RoadMetrics metrics;
    private final Predicate<Known> current;
    private @Nullable Known known;
    private @Nullable Known going;

    /**
     * @param current whether its app is still the one that is open there
     */
    Regular(Web.Stay stay, RoadMetrics metrics, Predicate<Known> current) {
        this.stay = stay;
        this.metrics = metrics;
        this.current = current;
    }

    /**
     * How somebody came.
     *
     * @param port of the endpoint's; 0: it has none of its own
     * @param always what the app is told with every request, up to the end of its head
     */
    record Known(String host, String cookies, int port, Pass pass, App app, Headers.Asker asker, String always) {}

    /** Whoever was let in the long way. */
    void learn(HttpServerRequest request, int port, Pass pass, App app, Headers.Asker asker) {
        List<String> hosts = request.headers().getAll(HttpHeaders.HOST);
        List<String> cookies = request.headers().getAll(HttpHeaders.COOKIE);
        boolean usual = hosts.size() == 1 && cookies.size() == 1 && !asker.isNobody();
        // what a proxy before us says of somebody may be another's with the next request
        if (usual && request.headers().names().stream().noneMatch(Headers::isClaim)) {
            MultiMap always = MultiMap.caseInsensitiveMultiMap();
            Headers.always(always, asker, app);
            String forApp = Cookies.toApp(cookies, asker.space());
            if (forApp != null) {
                always.set(HttpHeaders.COOKIE, forApp);
            }
            known = new Known(hosts.getFirst(), cookies.getFirst(), port, pass, app, asker, lines(always));
        }
    }

    private static String lines(MultiMap fields) {
        var text = new StringBuilder();
        fields.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        return text.append("\r\n").toString();
    }

    @Override
    public @Nullable Lines ask(HttpRequest request, Text text) {
        Known who = known;
        if (who == null) {
            return null;
        }
        if (!who.pass.valid || !who.pass.kept || !current.test(who)) {
            known = null;
            return null;
        }
        String uri = request.uri();
        boolean plain = request.decoderResult().isSuccess()
                && isUsual(request.protocolVersion())
                && PLAIN.contains(request.method())
                && Paths.isPlain(uri)
                && !uri.startsWith(Road.RESERVED);
        if (!plain) {
            return null;
        }
        text.add(request.method().asciiName()).add(" ").add(uri).add(" HTTP/1.1\r\n");
        if (!fields(request, text, who)) {
            return null;
        }
        text.add(who.always);
        who.pass.used = System.nanoTime();
        going = who;
        return who.app.lines();
    }

    /** Netty has one for what is written as the standard has it, and makes another of what only resembles that. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isUsual(HttpVersion version) {
        return version == HttpVersion.HTTP_1_1;
    }

    private static boolean fields(HttpRequest request, Text text, Known who) {
        boolean host = false;
        boolean cookies = false;
        Iterator<Map.Entry<CharSequence, CharSequence>> fields =
                request.headers().iteratorCharSequence();
        while (fields.hasNext()) {
            Map.Entry<CharSequence, CharSequence> field = fields.next();
            CharSequence name = field.getKey();
            CharSequence value = field.getValue();
            Fate fate = Fates.ASKED.of(name);
            if (fate == Fate.LONG || Headers.isClaim(name)) {
                return false;
            }
            if (fate == Fate.LOOKED_AT) {
                boolean isHost = AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.HOST);
                boolean isCookie = !isHost && AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.COOKIE);
                boolean usual = isHost
                        ? !host && who.host.contentEquals(value)
                        : isCookie
                                ? !cookies && who.cookies.contentEquals(value)
                                : isOwn(name, value.toString(), text, who);
                if (!usual) {
                    return false;
                }
                host |= isHost;
                cookies |= isCookie;
            } else if (fate == Fate.KEPT && !who.app.says(name) && !text.field(name, value)) {
                return false;
            }
        }
        return host && cookies;
    }

    /** What tells whose page asks: this endpoint's own, or a person; else the long way says no. */
    private static boolean isOwn(CharSequence name, String value, Text text, Known who) {
        if (AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.CONNECTION)) {
            return value.equalsIgnoreCase("keep-alive");
        }
        if (AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.ORIGIN)) {
            String origin = Headers.origin(value, who.asker, who.app);
            return value.equals(who.asker.origin())
                    && origin != null
                    && (who.app.says(name) || text.field(name, origin));
        }
        if (AsciiString.contentEqualsIgnoreCase(name, HttpHeaders.REFERER)) {
            String referer = Headers.referer(value, who.asker, who.app);
            return referer == null || who.app.says(name) || text.field(name, referer);
        }
        return (value.equals("same-origin") || value.equals("none")) && text.field(name, value);
    }

    @Override
    public void begun(Runnable cut, Runnable gone) {
        Known who = going;
        if (who != null) {
            stay.begins();
            metrics.shortened();
            metrics.exchanges(1);
            who.pass.open.add(cut);
            who.app.open().add(gone);
            if (!who.pass.valid) {
                cut.run();
            }
        }
    }

    @Override
    public boolean answer(HttpResponse head, int status, Text text) {
        Known who = going;
        if (who == null) {
            throw new IllegalStateException("nobody asks");
        }
        metrics.answered(status);
        text.add(status == 200 ? OK : ascii("HTTP/1.1 " + HttpResponseStatus.valueOf(status) + "\r\n"));
        return Answers.tell((MultiMap) head.headers(), status, text, who.asker, who.app);
    }

    @Override
    public void over(Runnable cut, Runnable gone) {
        Known who = going;
        if (who != null) {
            going = null;
            stay.ends();
            metrics.exchanges(-1);
            who.pass.open.remove(cut);
            who.app.open().remove(gone);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
