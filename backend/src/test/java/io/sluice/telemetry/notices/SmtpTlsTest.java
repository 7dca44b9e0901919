package io.sluice.telemetry.notices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mail servers that encrypt, with certificates of their own making. */
class SmtpTlsTest {
    private static final String PASSWORD = "changeit";
    private static final SSLSocketFactory OF_THE_JVM = (SSLSocketFactory) SSLSocketFactory.getDefault();

    @TempDir
    private static Path folder;

    private static SSLContext here;
    private static SSLContext elsewhere;

    @BeforeAll
    static void certificates() throws Exception {
        here = context("here", "ip:127.0.0.1");
        elsewhere = context("elsewhere", "dns:mail.example.org");
    }

    /** One that has this certificate and believes it. */
    private static SSLContext context(String name, String address) throws Exception {
        Path file = folder.resolve(name + ".p12");
        var made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + address,
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        var believed = KeyStore.getInstance("PKCS12");
        believed.load(null, null);
        believed.setCertificateEntry(name, store.getCertificate(name));
        trust.init(believed);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static Mail mail() {
        return new Mail("sluice@example.org", "ada@example.org", "s", "t", "1", Instant.EPOCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_letter_and_its_password_travel_encrypted_where_the_server_can(boolean fromTheFirstByte) throws Exception {
        try (var desk = new MailDesk(here.getSocketFactory(), fromTheFirstByte)) {
            new Smtp(desk.address("ada@"), "geheim", here.getSocketFactory()).send(mail());
            assertThat(desk.letters).hasSize(1);
            String secret = Base64.getEncoder()
                    .encodeToString("\0ada\0geheim".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(desk.said).contains("(TLS) AUTH PLAIN " + secret).doesNotContain("AUTH PLAIN " + secret);
            assertThat(desk.said.stream().filter(line -> line.startsWith("(TLS) EHLO")))
                    .as("what was said before counts no more")
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_server_whose_certificate_nobody_believes_is_told_nothing(boolean fromTheFirstByte) throws Exception {
        try (var desk = new MailDesk(here.getSocketFactory(), fromTheFirstByte)) {
            assertThatThrownBy(() -> new Smtp(desk.address("ada@"), "geheim", OF_THE_JVM).send(mail()))
                    .isInstanceOfSatisfying(
                            Undelivered.class,
                            why -> assertThat(why.isForGood()).isFalse())
                    .hasMessageContaining("certificat");
            assertThat(desk.letters).isEmpty();
            assertThat(desk.said).noneMatch(line -> line.contains("AUTH") || line.contains("MAIL"));
        }
    }

    @Test
    void a_certificate_of_another_server_is_none() throws Exception {
        try (var desk = new MailDesk(elsewhere.getSocketFactory(), true)) {
            assertThatThrownBy(() -> new Smtp(desk.address(""), null, elsewhere.getSocketFactory()).send(mail()))
                    .isInstanceOf(Undelivered.class)
                    .hasMessageContaining("127.0.0.1");
            assertThat(desk.letters).isEmpty();
        }
    }
}
