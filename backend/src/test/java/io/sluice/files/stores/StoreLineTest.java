package io.sluice.files.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.StoreFault.Why;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreLineTest {
    private static final String ETAG = "9b2cf535f27731c974343645a3985328-2";

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "403, SignatureDoesNotMatch, CREDENTIALS, its secret is another",
        "403, InvalidAccessKeyId, CREDENTIALS, does not know the access key",
        "400, ExpiredToken, CREDENTIALS, takes the access key no longer",
        "403, RequestTimeTooSkewed, REFUSED, clocks",
        "403, AccessDenied, FORBIDDEN, may not do this",
        "503, SlowDown, AWAY, answered 503 SlowDown",
        "500, InternalError, AWAY, answered 500",
        "404, NoSuchBucket, NO_BUCKET, There is no bucket lab",
    })
    void what_a_store_answers_is_understood(int status, String code, Why why, String said) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body =
                ("<Error><Code>" + code + "</Code><Message>no</Message></Error>").getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "application/xml");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        var store = new StoreAddress(
                "near", URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false, "us-east-1");
        try (StoreLine line = StoreLine.open(store, new AccessKey("id", "secret"))) {
            var fault = catchThrowableOfType(
                    StoreFault.class, () -> line.list(new Stores.Place(store, "lab", "train"), null));
            assertThat(fault.why()).isEqualTo(why);
            assertThat(fault).hasMessageContaining(said);
        } finally {
            server.stop(0);
        }
    }

    /** An object of nine bytes that came in parts, and what a store keeps of it. */
    private static String read(String header, String value, long from) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body = "123456789".substring((int) from).getBytes(StandardCharsets.US_ASCII);
        server.createContext("/", exchange -> {
            boolean wanted = "ENABLED".equals(exchange.getRequestHeaders().getFirst("x-amz-checksum-mode"));
            exchange.getResponseHeaders().add("ETag", "\"" + ETAG + "\"");
            if (wanted) {
                exchange.getResponseHeaders().add("x-amz-checksum-" + header, value);
            }
            exchange.sendResponseHeaders(from > 0 ? 206 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        var store = new StoreAddress(
                "near", URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false, "us-east-1");
        var object = new Stored("train/a", 9, ETAG, Instant.EPOCH);
        try (StoreLine line = StoreLine.open(store, new AccessKey("id", "secret"));
                var coming = line.read(new Stores.Place(store, "lab", "train"), object, from)) {
            return new String(coming.body().readAllBytes(), StandardCharsets.US_ASCII);
        } finally {
            server.stop(0);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "crc32, y/Q5Jg==",
        "crc32c, 4waSgw==",
        "sha256, FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
    })
    void a_checksum_that_the_store_keeps_is_compared(String kind, String right) throws IOException {
        String wrong = (right.startsWith("A") ? "B" : "A") + right.substring(1);
        assertThat(read(kind, right, 0)).isEqualTo("123456789");
        assertThatThrownBy(() -> read(kind, wrong, 0)).hasMessageContaining("checksum");
        assertThat(read(kind, wrong, 4)).isEqualTo("56789");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"crc32, AAAAAA==-2", "crc64nvme, AAAAAAAAAAA=", "xxhash, AAAA"})
    void a_checksum_of_checksums_or_of_a_kind_that_nobody_knows_is_not(String kind, String value) throws IOException {
        assertThat(read(kind, value, 0)).isEqualTo("123456789");
    }
}
