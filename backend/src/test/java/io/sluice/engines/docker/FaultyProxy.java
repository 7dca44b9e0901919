package io.sluice.engines.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Stands between the gateway and the engine, and spoils one answer. One connection carries one call. */
final class FaultyProxy implements AutoCloseable {

    enum Fault {
        /** The call never arrives. */
        REQUEST_LOST,
        /** It is done, and nobody is told. */
        ANSWER_LOST,
        /** Half of the answer's first line arrives. */
        ANSWER_CUT,
        /** It is done a second later. */
        LATE,
        /** It is done twice. */
        REPEATED
    }

    private record Plan(String call, Fault fault) {}

    private final ServerSocketChannel server;
    private final Path engine;
    private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();

    FaultyProxy(Path here, Path engine) throws IOException {
        this.engine = engine;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(here));
        Thread.ofVirtual().start(this::serve);
    }

    void next(String call, Fault fault) {
        plan.set(new Plan(call, fault));
    }

    void none() {
        plan.set(null);
    }

    private void serve() {
        try {
            while (true) {
                var client = server.accept();
                Thread.ofVirtual().start(() -> pass(client));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void pass(SocketChannel client) {
        try (client) {
            var head = head(client);
            var line = new String(head, StandardCharsets.ISO_8859_1)
                    .lines()
                    .findFirst()
                    .orElse("");
            var now = plan.get();
            boolean chosen = now != null && line.split("\\?")[0].contains(now.call()) && plan.compareAndSet(now, null);
            var fault = chosen && now != null ? now.fault() : null;
            if (fault == Fault.REQUEST_LOST) {
                return;
            }
            if (fault == Fault.LATE) {
                LockSupport.parkNanos(1_000_000_000L);
            }
            if (fault == Fault.REPEATED && !line.contains("/archive") && !line.contains("/create")) {
                try (var first = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
                    first.write(ByteBuffer.wrap(head));
                    drain(first);
                }
            }
            relay(client, head, fault);
        } catch (IOException e) {
            // either side went away, as it does
        }
    }

    private void relay(SocketChannel client, byte[] head, @Nullable Fault fault) throws IOException {
        try (var server = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
            server.write(ByteBuffer.wrap(head));
            var up = Thread.ofVirtual().start(() -> copy(client, server));
            if (fault == Fault.ANSWER_LOST || fault == Fault.ANSWER_CUT) {
                drain(server);
                if (fault == Fault.ANSWER_CUT) {
                    client.write(ByteBuffer.wrap("HTTP/1.1 2".getBytes(StandardCharsets.US_ASCII)));
                }
            } else {
                copy(server, client);
            }
            client.close();
            up.interrupt();
        }
    }

    private static void copy(SocketChannel from, SocketChannel to) {
        try {
            Channels.newInputStream(from).transferTo(Channels.newOutputStream(to));
        } catch (IOException e) {
            // either side went away
        }
    }

    private static void drain(SocketChannel from) throws IOException {
        Channels.newInputStream(from).transferTo(java.io.OutputStream.nullOutputStream());
    }

    private static byte[] head(SocketChannel client) throws IOException {
        var head = new ByteArrayOutputStream();
        var one = ByteBuffer.allocate(1);
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            one.clear();
            if (client.read(one) < 0) {
                throw new IOException("closed");
            }
            head.write(one.get(0));
        }
        return head.toByteArray();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
