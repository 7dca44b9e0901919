package io.sluice.telemetry.notices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SmtpTest {
    private static final SSLSocketFactory TLS = (SSLSocketFactory) SSLSocketFactory.getDefault();
    private MailDesk desk;

    @BeforeEach
    void open() throws IOException {
        desk = new MailDesk();
    }

    @AfterEach
    void close() throws IOException {
        desk.close();
    }

    private static Mail mail(String to, String subject, String text) {
        return new Mail("sluice@example.org", to, subject, text, "idle-1", Instant.parse("2026-01-02T03:04:05Z"));
    }

    @Test
    void a_letter_in_chinese_arrives_as_it_was_written() throws Exception {
        String text = "任务空闲。\n.\n" + "一行很长的文字".repeat(200);
        new Smtp(desk.address(""), null, TLS).send(mail("ada@example.org", "任务 train 占用 8 个设备但没有工作".repeat(3), text));
        String letter = desk.letters.getFirst();
        String[] parts = letter.split("\n\n", 2);
        assertThat(new String(Base64.getMimeDecoder().decode(parts[1]), StandardCharsets.UTF_8))
                .isEqualTo(text.replace("\n", "\r\n"));
        assertThat(parts[0])
                .contains(
                        "Date: Fri, 2 Jan 2026 03:04:05 GMT",
                        "To: <ada@example.org>",
                        "Message-ID: <idle-1@example.org>");
        var subject = new StringBuilder();
        java.util.regex.Pattern.compile("=\\?UTF-8\\?B\\?([^?]+)\\?=")
                .matcher(parts[0])
                .results()
                .forEach(word ->
                        subject.append(new String(Base64.getDecoder().decode(word.group(1)), StandardCharsets.UTF_8)));
        assertThat(subject.toString()).isEqualTo("任务 train 占用 8 个设备但没有工作".repeat(3));
        assertThat(letter.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(78));
    }

    @Test
    void whoever_has_a_name_shows_the_password_to_this_machine_in_the_open_and_to_no_other() throws Exception {
        new Smtp(desk.address("ada%40lab@"), "geheim", TLS).send(mail("a@b.c", "s", "t"));
        assertThat(desk.said)
                .contains("AUTH PLAIN "
                        + Base64.getEncoder().encodeToString("\0ada@lab\0geheim".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_refusal_for_good_is_told_from_one_for_now() {
        desk.verdict = "550 no such user";
        assertThatThrownBy(() -> new Smtp(desk.address(""), null, TLS).send(mail("a@b.c", "s", "t")))
                .isInstanceOfSatisfying(
                        Undelivered.class, why -> assertThat(why.isForGood()).isTrue())
                .hasMessageContaining("550 no such user");
        desk.verdict = "451 later";
        assertThatThrownBy(() -> new Smtp(desk.address(""), null, TLS).send(mail("a@b.c", "s", "t")))
                .isInstanceOfSatisfying(
                        Undelivered.class, why -> assertThat(why.isForGood()).isFalse());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@b.c>\r\nRCPT TO:<x@y.z", "a b@c.d", "nobody", "a@b.c\n", "<a@b.c>"})
    void an_address_that_would_be_a_command_goes_nowhere(String address) {
        assertThatThrownBy(() -> new Smtp(desk.address(""), null, TLS).send(mail(address, "s", "t")))
                .isInstanceOf(Undelivered.class);
        assertThat(desk.said).isEmpty();
    }

    @Test
    void what_is_no_mail_server_is_left_soon() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (var guest = other.accept()) {
                    guest.getOutputStream().write("x".repeat(10_000).getBytes(StandardCharsets.US_ASCII));
                    guest.getInputStream().read();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            var address = URI.create("smtp://127.0.0.1:" + other.getLocalPort());
            assertThatThrownBy(() -> new Smtp(address, null, TLS).send(mail("a@b.c", "s", "t")))
                    .isInstanceOf(Undelivered.class)
                    .hasMessageContaining("does not come to an end");
        }
    }
}
