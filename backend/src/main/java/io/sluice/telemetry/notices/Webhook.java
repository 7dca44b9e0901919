package io.sluice.telemetry.notices;

import io.sluice.web.addresses.Networks;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tells an address, signed as Standard Webhooks has it. It goes to the address that was looked at, and follows nobody elsewhere. */
final class Webhook {
    private static final int MOST_AT_ONCE = 16;
    private static final long LIMIT_MILLIS = 10_000;

    private final HttpClient client;
    private final Networks networks;

    Webhook(Vertx vertx, Networks networks) {
        this.networks = networks;
        this.client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setConnectTimeout((int) LIMIT_MILLIS)
                        .setKeepAlive(false)
                        .setVerifyHost(true),
                new PoolOptions().setHttp1MaxSize(MOST_AT_ONCE).setMaxWaitQueueSize(MOST_AT_ONCE));
    }

    /** @param id by which whoever is told twice knows that it is the same */
    void send(URI address, String id, String secret, Buffer body, Instant now)
            throws Undelivered, InterruptedException {
        boolean tls = "https".equals(address.getScheme());
        int port = address.getPort() > 0 ? address.getPort() : tls ? 443 : 80;
        SocketAddress place =
                SocketAddress.inetSocketAddress(port, allowed(address.getHost()).getHostAddress());
        String path = (address.getRawPath().isEmpty() ? "/" : address.getRawPath())
                + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery());
        String time = Long.toString(now.getEpochSecond());
        var options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setServer(place)
                .setHost(address.getHost())
                .setPort(port)
                .setSsl(tls)
                .setURI(path)
                .setFollowRedirects(false)
                .setTimeout(LIMIT_MILLIS)
                .putHeader("Content-Type", "application/json")
                .putHeader("User-Agent", "Sluice")
                .putHeader("webhook-id", id)
                .putHeader("webhook-timestamp", time)
                .putHeader("webhook-signature", "v1," + signature(secret, id, time, body));
        judge(answer(client.request(options)
                .compose(request -> request.send(body).map(response -> {
                    int status = response.statusCode();
                    // what it has to say beyond that nobody reads
                    response.request().reset().onFailure(gone -> {});
                    return status;
                }))));
    }

    private InetAddress allowed(String host) throws Undelivered {
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        try {
            InetAddress[] all = InetAddress.getAllByName(name);
            for (InetAddress one : all) {
                if (!networks.allows(one)) {
                    throw new Undelivered(
                            host + " is " + one.getHostAddress()
                                    + ", which is no public address. The operator opens networks with --webhook-networks.",
                            true);
                }
            }
            return all[0];
        } catch (UnknownHostException e) {
            throw new Undelivered(host + " has no address", false);
        }
    }

    static String signature(String secret, String id, String time, Buffer body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
            mac.update((id + "." + time + ".").getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(body.getBytes()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
    }

    private static int answer(Future<Integer> sent) throws Undelivered, InterruptedException {
        try {
            return sent.toCompletionStage().toCompletableFuture().get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new Undelivered("no answer within " + LIMIT_MILLIS / 1000 + " s", false);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new Undelivered(String.valueOf(cause.getMessage()), false);
        }
    }

    private static void judge(int status) throws Undelivered {
        if (status >= 300 && status < 400) {
            throw new Undelivered("HTTP " + status + ": it leads elsewhere. Give the address that it leads to.", true);
        }
        if (status == 410) {
            throw new Undelivered("HTTP 410: it is not there any more", true);
        }
        if (status < 200 || status >= 300) {
            throw new Undelivered("HTTP " + status, false);
        }
    }

    Future<Void> close() {
        return client.close();
    }
}
