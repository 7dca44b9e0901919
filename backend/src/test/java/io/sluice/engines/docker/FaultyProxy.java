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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the gateway and the engine, and spoils one answer. One connection carries one call. What concerns holders passes, unless it is
 * planned by that name.
 */
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

    private static final String HOLDER = "sluice-holder";

    private record Plan(String call, Fault fault) {}

    private final ServerSocketChannel server;
    private final Path engine;
    private final Supplier<Set<String>> holders;
    private final Set<Plan> plans = ConcurrentHashMap.newKeySet();
    private final Semaphore struck = new Semaphore(0);

    /** @param holders the ids of containers of which no call is spoilt */
    FaultyProxy(Path here, Path engine, Supplier<Set<String>> holders) throws IOException {
        this.engine = engine;
        this.holders = holders;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(here));
        Thread.ofVirtual().start(this::serve);
    }

    /** @param call what the first line of the call has in it */
    void next(String call, Fault fault) {
        struck.drainPermits();
        plans.add(new Plan(call, fault));
    }

    boolean isStruck(String call) {
        return plans.stream().noneMatch(plan -> plan.call().equals(call));
    }

    /** Until the planned fault begins. */
    void awaitStrike() throws InterruptedException {
        if (!struck.tryAcquire(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("nobody made the call that was to go wrong");
        }
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
            var fault = taken(line);
            if (fault != null) {
                struck.release();
            }
            if (fault == Fault.REQUEST_LOST) {
                return;
            }
            if (fault == Fault.LATE) {
                LockSupport.parkNanos(1_000_000_000L);
            }
            if (fault == Fault.REPEATED && !line.contains("/archive")) {
                head = whole(head, client);
                try (var first = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
                    write(first, head);
                    drain(first);
                }
            }
            relay(client, head, fault);
        } catch (IOException e) {
            // either side went away, as it does
        }
    }

    private @Nullable Fault taken(String line) {
        var found = plans.stream()
                .filter(plan -> line.contains(plan.call()))
                .findFirst()
                .orElse(null);
        return found != null && !isOther(line, found) && plans.remove(found) ? found.fault() : null;
    }

    private boolean isOther(String line, Plan plan) {
        return !plan.call().contains(HOLDER)
                && (line.contains(HOLDER) || holders.get().stream().anyMatch(line::contains));
    }

    private void relay(SocketChannel client, byte[] head, @Nullable Fault fault) throws IOException {
        try (var server = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
            write(server, head);
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

    private static void write(SocketChannel to, byte[] bytes) throws IOException {
        for (var left = ByteBuffer.wrap(bytes); left.hasRemaining(); ) {
            to.write(left);
        }
    }

    /** With its body, whose length it says. */
    private static byte[] whole(byte[] head, SocketChannel client) throws IOException {
        var length = new String(head, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
        var all = ByteBuffer.allocate(head.length + length).put(head);
        while (all.hasRemaining()) {
            if (client.read(all) < 0) {
                throw new IOException("closed");
            }
        }
        return all.array();
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
