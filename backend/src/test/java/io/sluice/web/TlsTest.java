package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TlsTest {
    @TempDir
    private Path folder;

    private Portal portal;

    @BeforeEach
    void open() throws IOException {
        put("first", Instant.now().minusSeconds(60));
        portal = new Portal(
                folder,
                settings -> settings.tls(folder.resolve("chain.pem"), folder.resolve("key.pem")),
                web -> List.of(
                        Route.get("/secure", call -> Future.succeededFuture(Reply.text(String.valueOf(call.secure()))))
                                .forAnyone(),
                        Route.post(
                                        "/secure",
                                        call -> Future.succeededFuture(
                                                Reply.text(call.body().length() + " bytes")))
                                .forAnyone()));
    }

    @AfterEach
    void close() {
        portal.close();
    }

    @Test
    void http_2_is_spoken_over_tls() {
        var answer = portal.get("/secure");

        assertThat(answer.version()).isEqualTo(HttpVersion.HTTP_2);
        assertThat(answer.bodyAsString()).isEqualTo("true");
        assertThat(answer.getHeader("Strict-Transport-Security")).startsWith("max-age=");
    }

    @Test
    void what_is_sent_over_http_2_is_read_whole_and_answered() {
        for (int length : new int[] {0, 1, 60_000}) {
            var answer = portal.post("/secure", "x".repeat(length));
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.bodyAsString()).isEqualTo(length + " bytes");
        }
        assertThat(portal.post("/nowhere", "body").statusCode()).isEqualTo(404);
    }

    @Test
    void a_plain_request_to_the_tls_port_gets_nothing() throws IOException {
        assertThat(portal.raw("GET /secure HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .doesNotContain("true");
    }

    @Test
    void a_new_certificate_is_used_without_dropping_a_connection() throws Exception {
        try (SSLSocket before = connect()) {
            assertThat(ask(before)).contains("true");
            assertThat(nameOf(before)).isEqualTo("CN=first.sluice.test");

            put("second", Instant.now());
            awaitCertificate("CN=second.sluice.test");

            assertThat(ask(before)).as("the connection of before").contains("true");
        }
    }

    @Test
    void a_broken_certificate_leaves_the_one_before_in_use() throws Exception {
        Files.writeString(folder.resolve("chain.pem"), "nonsense");
        put("second", Instant.now());
        awaitCertificate("CN=second.sluice.test");
    }

    private void awaitCertificate(String name) throws Exception {
        String seen = "";
        while (!seen.equals(name)) { // the time limit of the test ends this
            try (SSLSocket fresh = connect()) {
                seen = nameOf(fresh);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private void put(String name, Instant time) throws IOException {
        copy("src/test/resources/tls/" + name + ".key", "key.pem", time);
        copy("src/test/resources/tls/" + name + ".pem", "chain.pem", time);
    }

    private void copy(String from, String to, Instant time) throws IOException {
        Path fresh = Files.copy(Path.of(from), folder.resolve(to + ".new"), StandardCopyOption.REPLACE_EXISTING);
        Files.setLastModifiedTime(fresh, FileTime.from(time));
        Files.move(fresh, folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    private SSLSocket connect() throws Exception {
        var context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Trusting()}, null);
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), portal.port);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "localhost", portal.port, true);
        socket.setSoTimeout(5_000);
        socket.startHandshake();
        return socket;
    }

    private static String nameOf(SSLSocket socket) throws IOException {
        return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    private static String ask(SSLSocket socket) throws IOException {
        socket.getOutputStream()
                .write("GET /secure HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        var answer = new StringBuilder();
        while (!answer.toString().endsWith("true")) {
            int read = socket.getInputStream().read();
            assertThat(read).as("the connection is open; so far: " + answer).isNotEqualTo(-1);
            answer.append((char) read);
        }
        return answer.toString();
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
