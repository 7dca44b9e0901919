package io.sluice.jobs.data.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.stores.StoreFault;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that speak as few do, byte by byte. */
class WebLineTest {
    private final WebLine line =
            new WebLine(new WebLine.Settings(new Hosts(Set.of("127.0.0.1")), Limits.USUAL, Authorities.USUAL));
    private final CountDownLatch hungUp = new CountDownLatch(1);
    private volatile byte[] says = {};
    private ServerSocket server;

    @BeforeEach
    void open() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try (var client = server.accept()) {
                var in = client.getInputStream();
                for (int end = 0; end < 4; end = in.read() == "\r\n\r\n".charAt(end) ? end + 1 : 0) {
                    assertThat(end).isLessThan(4);
                }
                client.getOutputStream().write(says);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } finally {
                hungUp.countDown();
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        line.close();
        server.close();
    }

    private static byte[] answer(String head, byte[] body) {
        byte[] first = head.getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = Arrays.copyOf(first, first.length + body.length);
        System.arraycopy(body, 0, all, first.length, body.length);
        return all;
    }

    private WebLine.Answer asked() throws StoreFault {
        return line.ask(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/x"), Map.of(), Limits.USUAL.begin());
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0 200 OK\r\nContent-Length: 50000\r\n\r\n", "HTTP/1.1 200\nServer: old\n\n"})
    void what_a_server_sent_before_it_hung_up_is_read_whole_however_late(String head) throws Exception {
        says = answer(head, new byte[50_000]);
        try (var answer = asked()) {
            hungUp.await();
            assertThat(answer.body().readAllBytes()).hasSize(50_000);
        }
    }

    @Test
    void pieces_are_put_together() throws Exception {
        says = """
                HTTP/1.1 103 Early
                Link: x

                HTTP/1.1 200 OK
                Transfer-Encoding: chunked

                3;a=b
                abc
                0A
                0123456789
                0
                Last: x

                """.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
        try (var answer = asked()) {
            assertThat(answer.body().readAllBytes()).asString().isEqualTo("abc0123456789");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n"
            })
    void half_an_answer_is_none(String text) throws Exception {
        says = text.getBytes(StandardCharsets.ISO_8859_1);
        try (var answer = asked()) {
            assertThatThrownBy(answer.body()::readAllBytes).isInstanceOf(IOException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\n",
                "SSH-2.0-OpenSSH_9.2\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno field\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 3, 4\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
            })
    void what_is_no_answer_is_told(String text) {
        says = text.getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(this::asked).isInstanceOf(StoreFault.class).hasMessageContaining("127.0.0.1");
    }

    @Test
    void a_head_without_end_is_not_read_for_ever() {
        says = answer("HTTP/1.1 200 OK\r\nX: ", new byte[200_000]);
        assertThatThrownBy(this::asked).isInstanceOf(StoreFault.class).hasMessageContaining("does not answer");
    }
}
