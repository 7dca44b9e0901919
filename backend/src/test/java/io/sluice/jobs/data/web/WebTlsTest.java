package io.sluice.jobs.data.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluice.files.tree.Place;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Pace;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Files of servers that show a certificate. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebTlsTest {
    private static final byte[] SET = "the set".getBytes(StandardCharsets.UTF_8);
    private static final String PASSWORD = "changeit";

    private final Vertx vertx = Vertx.vertx();
    private final List<String> faults = new ArrayList<>();
    private HttpsServer server;
    private Path authority;

    @BeforeAll
    void begin(@TempDir Path folder) throws Exception {
        Path keys = folder.resolve("keys.p12");
        authority = folder.resolve("ca.pem");
        keytool(
                "-genkeypair -alias a -keyalg EC -dname CN=lab -ext san=dns:localhost -validity 2 -storetype PKCS12",
                keys);
        keytool("-exportcert -alias a -rfc -file " + authority, keys);
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(keys)) {
            store.load(in, PASSWORD.toCharArray());
        }
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.createContext("/set.bin", call -> {
            call.sendResponseHeaders(200, SET.length);
            call.getResponseBody().write(SET);
            call.close();
        });
        server.createContext("/down", call -> {
            call.getResponseHeaders().set("Location", "http://localhost:1/set.bin");
            call.sendResponseHeaders(302, -1);
            call.close();
        });
        server.start();
    }

    private static void keytool(String how, Path keys) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin/keytool").toString()));
        command.addAll(List.of(how.split(" ")));
        command.addAll(List.of("-keystore", keys.toString(), "-storepass", PASSWORD));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    @AfterAll
    void end() {
        server.stop(0);
        vertx.close().await();
    }

    private byte[] fetched(String host, String path, Authorities authorities) throws IOException {
        var line = new WebLine(
                new WebLine.Settings(new Hosts(Set.of("localhost", "127.0.0.1")), Limits.USUAL, authorities));
        var care = new Care(new Pace(1, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1)), () -> {});
        List<byte[]> all = new ArrayList<>();
        var file =
                new WebFile(line, "https://" + host + ":" + server.getAddress().getPort() + path, care);
        try {
            assertThat(file.count()).isEqualTo(new Source.Amount(1, SET.length));
            file.each(new Into(all));
            return all.getFirst();
        } finally {
            line.close();
        }
    }

    private record Into(List<byte[]> all) implements Source.Taker {
        @Override
        public void file(Place place, String version, long size, Instant changed, Source.Opening opening)
                throws IOException {
            try (var in = opening.from(0)) {
                all.add(in.readAllBytes());
            }
        }

        @Override
        public void permit(Place place) {
            throw new AssertionError("a file of the web is no program");
        }

        @Override
        public void folder(Place place) {
            throw new AssertionError("it has no folders");
        }

        @Override
        public void link(Place place, String leads) {
            throw new AssertionError("it has no links");
        }
    }

    @Test
    void who_is_vouched_for_by_an_authority_of_the_house_is_trusted() throws IOException {
        assertThat(fetched("localhost", "/set.bin", Authorities.read(authority, faults)))
                .isEqualTo(SET);
        assertThat(faults).isEmpty();
    }

    @Test
    void who_is_vouched_for_by_nobody_is_not() {
        assertThatThrownBy(() -> fetched("localhost", "/set.bin", Authorities.USUAL))
                .hasMessageContaining("localhost can not be asked")
                .hasMessageContaining("--data-ca");
    }

    @Test
    void a_certificate_for_another_name_is_none() {
        assertThatThrownBy(() -> fetched("127.0.0.1", "/set.bin", Authorities.read(authority, faults)))
                .hasMessageContaining("127.0.0.1 can not be asked");
    }

    @Test
    void a_server_does_not_lead_to_where_anybody_listens() {
        assertThatThrownBy(() -> fetched("localhost", "/down", Authorities.read(authority, faults)))
                .hasMessageContaining("stays with https");
    }

    @Test
    void a_file_without_certificates_is_told(@TempDir Path folder) throws IOException {
        Authorities.read(Files.writeString(folder.resolve("none.pem"), "no certificate"), faults);
        assertThat(faults.getFirst()).contains("--data-ca", "none.pem", "PEM");
        faults.clear();
    }
}
