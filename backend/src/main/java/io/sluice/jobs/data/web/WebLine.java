package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** Asks servers of the web for files. It connects to the address that was looked at, also where one server leads to another. */
public final class WebLine {
    private static final int REDIRECTS = 5;
    private static final Set<Integer> ELSEWHERE = Set.of(301, 302, 303, 307, 308);
    private static final Set<Integer> PASSING = Set.of(408, 425, 429);
    private static final int OK = 200;
    private static final int PART = 206;

    private static final byte[] NOTHING = {};

    private final Hosts hosts;
    private final Limits limits;
    private final SSLSocketFactory tls;
    /** As many as inputs come at once have one or two. */
    private final Set<Line> open = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** Which servers may be asked, for how much, and who vouches for them. */
    public record Settings(Hosts hosts, Limits limits, Authorities authorities) {
        public static final Settings USUAL = new Settings(Hosts.PUBLIC, Limits.USUAL, Authorities.USUAL);
    }

    /** What a server has sent the head of. */
    public final class Answer implements AutoCloseable {
        private final URI address;
        private final Line line;
        private final Line.Head head;
        private final Body body;

        private Answer(URI address, Line line, Line.Head head, Limits.Span span) throws IOException {
            this.address = address;
            this.line = line;
            this.head = head;
            this.body = new Body(line, head, span);
        }

        /** Where it was led to. */
        public URI address() {
            return address;
        }

        /** Whether it begins where it was asked to, and not at the beginning. */
        public boolean isPart() {
            return head.status() == PART;
        }

        public @Nullable String header(String name) {
            return head.fields().get(name);
        }

        /** Closing it is as good as closing the answer. */
        public InputStream body() {
            return body;
        }

        @Override
        public void close() {
            hangUp(line);
        }
    }

    public WebLine(Settings settings) {
        this.hosts = settings.hosts();
        this.limits = settings.limits();
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {settings.authorities().trust()}, null);
            this.tls = context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS can not be had", e);
        }
    }

    public Limits limits() {
        return limits;
    }

    /** @param version that is to come, from {@code from} on; null: from the beginning, whichever it is */
    Answer get(URI address, long from, @Nullable String version, Limits.Span span) throws StoreFault {
        return ask(
                address,
                version == null ? Map.of() : Map.of("Range", "bytes=" + from + "-", "If-Range", version),
                span);
    }

    /** Goes where it is led to. */
    public Answer ask(URI address, Map<String, String> headers, Limits.Span span) throws StoreFault {
        URI at = address;
        for (int left = REDIRECTS; ; left--) {
            span.check(Hosts.shown(address));
            Answer answer = once(at, headers, null, span);
            int status = answer.head.status();
            if (status == OK || (status == PART && headers.containsKey("Range"))) {
                return answer;
            }
            answer.close();
            if (!ELSEWHERE.contains(status)) {
                throw fault(at, status);
            }
            if (left == 0) {
                throw new StoreFault(
                        Why.REFUSED, Hosts.shown(address) + " leads elsewhere more than " + REDIRECTS + " times.");
            }
            at = next(at, answer.header("Location"));
        }
    }

    /** Goes nowhere else with it. */
    public Answer post(URI address, Map<String, String> headers, Buffer body, Limits.Span span) throws StoreFault {
        span.check(Hosts.shown(address));
        Answer answer = once(address, headers, body, span);
        if (answer.head.status() == OK) {
            return answer;
        }
        answer.close();
        throw fault(address, answer.head.status());
    }

    private static URI next(URI at, @Nullable String location) throws StoreFault {
        try {
            URI next = at.resolve(new URI(location == null ? "" : location));
            if ("https".equalsIgnoreCase(at.getScheme()) && !"https".equalsIgnoreCase(next.getScheme())) {
                throw new StoreFault(
                        Why.REFUSED,
                        Hosts.shown(at) + " leads to " + Hosts.shown(next)
                                + ", where anybody could change what comes. Name an address that stays with https.");
            }
            return next;
        } catch (java.net.URISyntaxException e) {
            throw new StoreFault(Why.REFUSED, Hosts.shown(at) + " leads to what is no address.", e);
        }
    }

    private Answer once(URI at, Map<String, String> headers, @Nullable Buffer body, Limits.Span span)
            throws StoreFault {
        Hosts.Place place = hosts.place(at);
        Map<String, String> fields = new TreeMap<>(headers);
        fields.put("Host", place.host() + (at.getPort() < 0 ? "" : ":" + at.getPort()));
        fields.put("Accept-Encoding", "identity");
        fields.put("User-Agent", "Sluice");
        Line line = null;
        try {
            line = opened(place);
            String method = body == null ? "GET" : "POST";
            var head = line.ask(method, path(at), fields, body == null ? NOTHING : body.getBytes());
            return new Answer(at, line, head, span);
        } catch (IOException e) {
            if (line != null) {
                hangUp(line);
            }
            throw unasked(place, e);
        }
    }

    private static String path(URI at) {
        URI plain = URI.create(at.toASCIIString());
        String path = plain.getRawPath();
        String query = plain.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    private Line opened(Hosts.Place place) throws IOException {
        Line line = Line.open(place, tls);
        open.removeIf(Line::isClosed);
        open.add(line);
        if (closed) {
            hangUp(line);
            throw new IOException("Sluice ends");
        }
        return line;
    }

    private void hangUp(Line line) {
        open.remove(line);
        line.close();
    }

    private static StoreFault unasked(Hosts.Place place, IOException cause) {
        if (cause instanceof SocketTimeoutException) {
            return new StoreFault(Why.AWAY, place.host() + " does not answer.", cause);
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof CertificateException || at instanceof SSLPeerUnverifiedException) {
                return new StoreFault(
                        Why.REFUSED,
                        place.host() + " can not be asked, since its certificate is not trusted: " + at.getMessage()
                                + ". Your administrator trusts more authorities with --data-ca.",
                        cause);
            }
        }
        return new StoreFault(Why.AWAY, place.host() + " can not be asked: " + cause.getMessage(), cause);
    }

    private static StoreFault fault(URI address, int status) {
        String at = Hosts.shown(address);
        return switch (status) {
            case 401, 403 ->
                new StoreFault(
                        Why.FORBIDDEN,
                        at + " is not for everybody (HTTP " + status
                                + "). Look at its spelling, or fetch it in the commands with a secret of the job.");
            case 404, 410 ->
                new StoreFault(
                        Why.NO_OBJECT,
                        "There is nothing at " + at + " (HTTP " + status + "). Look at the spelling of the address.");
            default ->
                new StoreFault(
                        status >= 500 || PASSING.contains(status) ? Why.AWAY : Why.REFUSED,
                        at + " is answered with HTTP " + status
                                + ". Look at the address with curl -I, or ask whoever keeps that server.");
        };
    }

    /** Whoever reads is told that the line is gone. */
    public void close() {
        closed = true;
        open.forEach(Line::close);
    }
}
