package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.logs.Logs;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Followers of one log on several event loops, as on every machine where the port is given. */
@Timeout(120)
class LogLoopsIT {
    @TempDir
    private static Path folder;

    private static LogDesk desk;
    private static LogDesk.Client alice;

    @BeforeAll
    static void start() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        desk = new LogDesk(
                folder,
                Logs.Settings.of(folder),
                web -> LogDesk.changed(web, port, web.idleSeconds()),
                HttpClient.newBuilder());
        alice = desk.client("alice", false);
    }

    @AfterAll
    static void stop() {
        desk.close();
    }

    @Test
    void everybody_is_told_the_end_of_a_finished_log_whoever_reads_it_already() throws Exception {
        byte[] bytes = "a line of a log, not very long\n".repeat(200_000).getBytes(StandardCharsets.UTF_8);
        String log = alice.printed("finished", bytes);
        var holding = alice.follow(log + "?window=65536");
        LogDesk.eventually(() -> holding.received().length >= 65_536);
        List<LogDesk.Viewer> viewers = new ArrayList<>();
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int number = 0; number < 16; number++) {
            viewers.add(alice.follow(log + "?tail=1000"));
            answers.add(CompletableFuture.supplyAsync(() -> whole(log + "?tail=1000&follow=1")));
        }
        for (LogDesk.Viewer viewer : viewers) {
            assertThat(viewer.code()).isEqualTo(1000);
            assertThat(viewer.received()).hasSize(1_000);
        }
        for (CompletableFuture<byte[]> answer : answers) {
            assertThat(answer.get(30, TimeUnit.SECONDS)).hasSize(1_000);
        }
        holding.abort();
    }

    private static byte[] whole(String path) {
        try (InputStream stream = alice.stream(path)) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void after_the_word_of_parting_nothing_is_sent_however_fast_the_log_grows() throws Exception {
        String log = alice.submit("flood", "while :; do echo a line that is printed again and again; done");
        alice.running("flood");
        var person = desk.crowd.person("leaving", true);
        for (int round = 0; round < 8; round++) {
            var leaving = desk.client(person);
            try (Socket socket = opened(leaving, log + "?tail=0")) {
                var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
                for (int frames = 0; frames < 20; frames++) {
                    frame(in);
                }
                leaving.send(leaving.request("/api/v2/authn/basic/logout").DELETE());
                byte[] closing = frame(in);
                while (closing == null) {
                    closing = frame(in);
                }
                assertThat(((closing[0] & 0xFF) << 8) | (closing[1] & 0xFF)).isEqualTo(4401);
                socket.setSoTimeout(500);
                assertThat(after(in)).isEqualTo(-1);
            }
        }
        alice.stop("flood");
        alice.ended("flood");
    }

    private static Socket opened(LogDesk.Client who, String path) throws IOException {
        int port = URI.create(desk.server.address()).getPort();
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
                                + "\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer " + who.token + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        var greeting = new StringBuilder();
        while (greeting.indexOf("\r\n\r\n") < 0) {
            greeting.append((char) socket.getInputStream().read());
        }
        assertThat(greeting).startsWith("HTTP/1.1 101");
        return socket;
    }

    /** What a close frame says; null for every other frame. */
    private static byte @Nullable [] frame(DataInputStream in) throws IOException {
        int opcode = in.readUnsignedByte() & 0x0F;
        long length = in.readUnsignedByte();
        length = length == 126 ? in.readUnsignedShort() : length == 127 ? in.readLong() : length;
        byte[] payload = in.readNBytes((int) length);
        return opcode == 8 ? payload : null;
    }

    /** The next byte; -1: there is none. */
    private static int after(InputStream in) throws IOException {
        try {
            return in.read();
        } catch (SocketTimeoutException silent) {
            return -1;
        }
    }
}
