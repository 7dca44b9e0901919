package io.sluice.files.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.StoreFault.Why;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreLineTest {
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
}
