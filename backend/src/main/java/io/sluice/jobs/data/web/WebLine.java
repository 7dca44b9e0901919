package io.sluice.jobs.data.web;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.io.InputStream;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Asks servers of the web for files. It connects to the address that was looked at, also where one server leads to another. */
public final class WebLine {
    private static final int MOST_AT_ONCE = 16;
    private static final int REDIRECTS = 5;
    private static final int LIMIT_MILLIS = 30_000;
    private static final Set<Integer> ELSEWHERE = Set.of(301, 302, 303, 307, 308);
    private static final Set<Integer> PASSING = Set.of(408, 425, 429);
    private static final int OK = 200;
    private static final int PART = 206;

    private final HttpClient client;
    private final Hosts hosts;

    /** What a server has sent the head of. */
    public static final class Answer implements AutoCloseable {
        private final HttpClientResponse response;
        private final Body body;

        private Answer(HttpClientResponse response) {
            this.response = response;
            this.body = new Body(response);
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

    public WebLine(Vertx vertx, Hosts hosts) {
        this.hosts = hosts;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout(LIMIT_MILLIS)
                        .setKeepAlive(false)
                        .setVerifyHost(true),
                new PoolOptions().setHttp1MaxSize(MOST_AT_ONCE).setMaxWaitQueueSize(MOST_AT_ONCE));
    }

    /** @param version that is to come, from {@code from} on; null: from the beginning, whichever it is */
    public Answer get(URI address, long from, @Nullable String version) throws StoreFault {
        URI at = address;
        for (int left = REDIRECTS; ; left--) {
            Answer answer = once(at, from, version);
            int status = answer.response.statusCode();
            if (status == OK || (status == PART && version != null)) {
                return answer;
            }
            answer.close();
            if (!ELSEWHERE.contains(status)) {
                throw fault(at, status);
            }
            if (left == 0) {
                throw new StoreFault(Why.REFUSED, address + " leads elsewhere more than " + REDIRECTS + " times.");
            }
            at = next(at, answer.header("Location"));
        }
    }

    private static URI next(URI at, @Nullable String location) throws StoreFault {
        try {
            URI next = at.resolve(new URI(location == null ? "" : location));
            if ("https".equalsIgnoreCase(at.getScheme()) && !"https".equalsIgnoreCase(next.getScheme())) {
                throw new StoreFault(
                        Why.REFUSED, at + " leads to " + next + ", where anybody could change what comes.");
            }
            return next;
        } catch (java.net.URISyntaxException e) {
            throw new StoreFault(Why.REFUSED, at + " leads to what is no address.", e);
        }
    }

    private Answer once(URI at, long from, @Nullable String version) throws StoreFault {
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
        if (version != null) {
            options.putHeader("Range", "bytes=" + from + "-").putHeader("If-Range", version);
        }
        return awaited(place, client.request(options).compose(request -> {
            request.idleTimeout(LIMIT_MILLIS);
            return request.send().map(Answer::new);
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
            throw new StoreFault(Why.AWAY, place.host() + " can not be asked: " + cause.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sent.onSuccess(Answer::close);
            throw new StoreFault(Why.REFUSED, "Sluice ends.", e);
        }
    }

    private static StoreFault fault(URI at, int status) {
        return switch (status) {
            case 401, 403 ->
                new StoreFault(
                        Why.FORBIDDEN,
                        at + " is not for everybody (HTTP " + status
                                + "). Fetch it in the commands with a secret of the job.");
            case 404, 410 ->
                new StoreFault(
                        Why.NO_OBJECT,
                        "There is nothing at " + at + " (HTTP " + status + "). Look at the spelling of the address.");
            default ->
                new StoreFault(
                        status >= 500 || PASSING.contains(status) ? Why.AWAY : Why.REFUSED,
                        at + " is answered with HTTP " + status + ".");
        };
    }

    public Future<Void> close() {
        return client.close();
    }
}
