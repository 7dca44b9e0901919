package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.io.InputStream;
import java.net.URI;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Asks servers of the web for files. It connects to the address that was looked at, also where one server leads to another. */
public final class WebLine {
    private static final int MOST_AT_ONCE = 16;
    private static final int REDIRECTS = 5;
    private static final int LIMIT_MILLIS = 30_000;
    private static final int IDLE_SECONDS = 2;
    private static final Set<Integer> ELSEWHERE = Set.of(301, 302, 303, 307, 308);
    private static final Set<Integer> PASSING = Set.of(408, 425, 429);
    private static final int OK = 200;
    private static final int PART = 206;

    private final HttpClient client;
    private final Hosts hosts;
    private final Limits limits;

    /** Which servers may be asked, for how much, and who vouches for them. */
    public record Settings(Hosts hosts, Limits limits, Authorities authorities) {
        public static final Settings USUAL = new Settings(Hosts.PUBLIC, Limits.USUAL, Authorities.USUAL);
    }

    /** What a server has sent the head of. */
    public static final class Answer implements AutoCloseable {
        private final URI address;
        private final HttpClientResponse response;
        private final Body body;

        private Answer(URI address, HttpClientResponse response, Limits.Span span) {
            this.address = address;
            this.response = response;
            this.body = new Body(response, span);
        }

        /** Where it was led to. */
        public URI address() {
            return address;
        }

        /** Whether it begins where it was asked to, and not at the beginning. */
        public boolean isPart() {
            return response.statusCode() == PART;
        }

        public @Nullable String header(String name) {
            return response.getHeader(name);
        }

        public InputStream body() {
            return body;
        }

        @Override
        public void close() {
            body.close();
        }
    }

    public WebLine(Vertx vertx, Settings settings) {
        this.hosts = settings.hosts();
        this.limits = settings.limits();
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout(LIMIT_MILLIS)
                        // a line that is for one answer only is closed when its end has come, and what was not read yet
                        // is lost
                        .setKeepAliveTimeout(IDLE_SECONDS)
                        .setTrustOptions(
                                TrustOptions.wrap(settings.authorities().trust()))
                        .setVerifyHost(true),
                new PoolOptions().setHttp1MaxSize(MOST_AT_ONCE).setMaxWaitQueueSize(MOST_AT_ONCE));
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
            int status = answer.response.statusCode();
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
        if (answer.response.statusCode() == OK) {
            return answer;
        }
        answer.close();
        throw fault(address, answer.response.statusCode());
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
        URI plain = URI.create(at.toASCIIString());
        String path = plain.getRawPath();
        var options = new RequestOptions()
                .setServer(SocketAddress.inetSocketAddress(
                        place.port(), place.address().getHostAddress()))
                .setHost(place.host())
                .setPort(place.port())
                .setSsl(place.tls())
                .setURI((path == null || path.isEmpty() ? "/" : path)
                        + (plain.getRawQuery() == null ? "" : "?" + plain.getRawQuery()))
                .setFollowRedirects(false)
                .setConnectTimeout(LIMIT_MILLIS)
                .putHeader("Accept-Encoding", "identity")
                .putHeader("User-Agent", "Sluice");
        headers.forEach(options::putHeader);
        if (body != null) {
            options.setMethod(HttpMethod.POST);
        }
        return awaited(place, client.request(options).compose(request -> {
            request.idleTimeout(LIMIT_MILLIS);
            return (body == null ? request.send() : request.send(body)).map(response -> new Answer(at, response, span));
        }));
    }

    private static Answer awaited(Hosts.Place place, Future<Answer> sent) throws StoreFault {
        try {
            return sent.toCompletionStage().toCompletableFuture().get(3L * LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            sent.onSuccess(Answer::close);
            throw new StoreFault(Why.AWAY, place.host() + " does not answer.", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw unasked(place, cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sent.onSuccess(Answer::close);
            throw new StoreFault(Why.REFUSED, "Sluice ends.", e);
        }
    }

    private static StoreFault unasked(Hosts.Place place, Throwable cause) {
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

    public Future<Void> close() {
        return client.close();
    }
}
