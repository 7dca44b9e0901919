package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.sluice.DoorDesk.Door;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A browser that sends to an app which does not read: the gateway takes no more than what the network's buffers hold and
 * little besides, and goes on when the app does. What is sent on the way is a ramp, so that nothing that is lost, doubled or
 * moved keeps its sum.
 */
class UploadsWaitIT {
    private static final int SIZE = 64_000_000;
    /** Of the network, most of it of the gateway's socket, for which Linux has up to 32 MB; and of the gateway. */
    private static final long TAKEN = 40_000_000;

    /** Of the gateway alone. */
    private static final long MEMORY = 16_000_000;

    private static final long STILL_NANOS = 400_000_000;
    private static final byte[] RAMP = ramp();

    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static Door door;

    @BeforeAll
    static void open() throws IOException {
        desk = new DoorDesk(folder);
        ann = desk.somebody("ann");
        door = ann.evil("evil");
    }

    @AfterAll
    static void close() {
        desk.close();
    }

    /** Nothing is read before this is there. */
    private static Path go() throws IOException {
        return ann.kept("evil").resolveSibling("evil.kept.go");
    }

    @BeforeEach
    void nothingIsRead() throws IOException {
        Files.deleteIfExists(go());
    }

    private static byte[] ramp() {
        byte[] bytes = new byte[1_000_003];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8));
        }
        return bytes;
    }

    /** How a body travels. */
    enum Framing {
        MEASURED,
        CHUNKED,
        WEB_SOCKET;

        /** What stands before a piece and is the app's to see. */
        byte[] seen(int length) {
            // binary, whole, of a length in eight bytes, and with a mask that changes nothing
            return this == WEB_SOCKET
                    ? ByteBuffer.allocate(14)
                            .put((byte) 0x82)
                            .put((byte) 0xff)
                            .putLong(length)
                            .array()
                    : new byte[0];
        }

        ByteBuffer piece(int length) {
            byte[] before = this == CHUNKED ? bytes(Integer.toHexString(length) + "\r\n") : seen(length);
            byte[] after = bytes(this == CHUNKED ? "\r\n" : "");
            return ByteBuffer.allocate(before.length + length + after.length)
                    .put(before)
                    .put(RAMP, 0, length)
                    .put(after)
                    .flip();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A browser that sends as much as is taken, without waiting for it. */
    private static final class Sender implements AutoCloseable {
        final SocketChannel channel = SocketChannel.open();
        private final Framing framing;
        private final MessageDigest sum = MessageDigest.getInstance("SHA-256");
        private ByteBuffer current = ByteBuffer.allocate(0);
        private int begun;
        private long taken;

        Sender(Framing framing) throws IOException, GeneralSecurityException {
            this.framing = framing;
            channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
            channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), desk.port()));
        }

        void say(String text) throws IOException {
            channel.write(ByteBuffer.wrap(bytes(text)));
        }

        String hears(String until) throws IOException {
            return DoorDesk.until(channel.socket(), until);
        }

        /** Whether there was room for any of it. */
        private boolean pour() throws IOException {
            if (!current.hasRemaining()) {
                int length = Math.min(RAMP.length, SIZE - begun);
                begun += length;
                sum.update(framing.seen(length));
                sum.update(RAMP, 0, length);
                current = framing.piece(length);
            }
            int count = channel.write(current);
            taken += count;
            return count > 0;
        }

        private boolean isWhole() {
            return begun == SIZE && !current.hasRemaining();
        }

        /** How much was taken in all, when no more was for a while. */
        long stalled() throws IOException {
            channel.configureBlocking(false);
            for (long since = System.nanoTime(); !isWhole() && System.nanoTime() - since < STILL_NANOS; ) {
                if (pour()) {
                    since = System.nanoTime();
                } else {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            return taken;
        }

        /** Sends the rest of it. */
        void finish() throws IOException {
            channel.configureBlocking(true);
            while (!isWhole()) {
                pour();
            }
            if (framing == Framing.CHUNKED) {
                say("0\r\n\r\n");
            }
        }

        String sum() {
            return HexFormat.of().formatHex(sum.digest());
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** It stands still while the app does and others are served, and then it comes whole. */
    private static void waits(Sender sender) throws IOException {
        long before = PlatformDependent.usedDirectMemory();
        long taken = sender.stalled();
        assertThat(taken).isBetween(1L, TAKEN);
        assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(MEMORY);
        assertThat(desk.raw(door.request("GET", "/echo", "Connection: close")).status())
                .isEqualTo(200);
        assertThat(sender.stalled()).as("and no more of it").isEqualTo(taken);
        Files.createFile(go());
        sender.finish();
        String sum = sender.sum();
        assertThat(sender.hears(sum + ".")).contains(sum);
    }

    /** From then on the short way is there on its connection. */
    private static void isKnown(Sender sender) throws IOException {
        for (int i = 0; i < 2; i++) {
            sender.say(door.request("GET", "/status?s=204"));
            assertThat(sender.hears("\r\n\r\n")).startsWith("HTTP/1.1 204");
        }
    }

    @ParameterizedTest
    @CsvSource({"MEASURED,false", "MEASURED,true", "CHUNKED,true"})
    void a_body_waits_for_an_app_that_does_not_read(Framing framing, boolean known) throws Exception {
        String length = framing == Framing.CHUNKED ? "Transfer-Encoding: chunked" : "Content-Length: " + SIZE;
        try (var sender = new Sender(framing)) {
            if (known) {
                isKnown(sender);
            }
            sender.say(door.request("POST", "/late", length));
            waits(sender);
            sender.say(door.request("GET", "/status?s=404"));
            assertThat(sender.hears("HTTP/1.1 404")).contains("HTTP/1.1 404");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_socket_waits_for_an_app_that_does_not_read(boolean known) throws Exception {
        int pieces = (SIZE + RAMP.length - 1) / RAMP.length;
        try (var sender = new Sender(Framing.WEB_SOCKET)) {
            if (known) {
                isKnown(sender);
            }
            sender.say(door.upgrade("/ws?late=" + (SIZE + 14 * pieces), "Origin: " + door.origin()));
            assertThat(sender.hears("\r\n\r\n")).startsWith("HTTP/1.1 101");
            waits(sender);
        }
    }

    /** What is sent behind a question that went the short way is not read before that is answered. */
    @Test
    void what_follows_a_question_waits_for_its_answer() throws Exception {
        try (var sender = new Sender(Framing.MEASURED)) {
            isKnown(sender);
            sender.say(door.request("GET", "/late") + door.request("POST", "/late", "Content-Length: " + SIZE));
            waits(sender);
        }
    }
}
