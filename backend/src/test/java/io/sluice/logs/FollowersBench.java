package io.sluice.logs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Many followers of one log over WebSocket on one thread, for {@code ./sluice bench}. Arguments: port, path, how many, how many of them read the time
 * that stands in each line as {@code @nanoseconds@}, further header lines. A line on standard input that says for how many milliseconds is
 * answered by one of figures.
 */
final class FollowersBench {
    private static final int AT_ONCE = 50;
    private static final int MOST_WAITS = 2_000_000;

    private final Selector selector = Selector.open();
    private final ByteBuffer room = ByteBuffer.allocateDirect(256 << 10);
    private final byte[] text = new byte[256 << 10];
    private long bytes;
    private int closed;
    private long[] waits = new long[1 << 16];
    private int waited;

    private FollowersBench() throws IOException {}

    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[2]);
        int timed = Integer.parseInt(args[3]);
        var bench = new FollowersBench();
        var more = new StringBuilder();
        Arrays.stream(args).skip(4).forEach(header -> more.append(header).append("\r\n"));
        for (int begun = 0; begun < count; begun += AT_ONCE) {
            bench.open(
                    Integer.parseInt(args[0]),
                    args[1],
                    more.toString(),
                    begun,
                    Math.min(count, begun + AT_ONCE),
                    timed);
        }
        var asked = new LinkedBlockingQueue<Long>();
        var reader = new Thread(() -> ask(asked));
        reader.setDaemon(true);
        reader.start();
        while (reader.isAlive() || !asked.isEmpty()) {
            bench.answer(asked.poll());
        }
    }

    private static void ask(Queue<Long> asked) {
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            in.lines().map(Long::valueOf).forEach(asked::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads on, and if it was asked to, counts meanwhile. */
    private void answer(@Nullable Long millis) throws IOException {
        if (millis == null) {
            round(20);
            return;
        }
        bytes = 0;
        waited = 0;
        long began = System.nanoTime();
        while (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(millis)) {
            round(20);
        }
        System.out.println(figures((System.nanoTime() - began) / 1e9));
        System.out.flush();
    }

    private void open(int port, String path, String headers, int from, int to, int timed) throws IOException {
        List<SocketChannel> fresh = new ArrayList<>();
        for (int number = from; number < to; number++) {
            var channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.write(ByteBuffer.wrap(("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                            + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
                            + "\r\nSec-WebSocket-Version: 13\r\n" + headers + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII)));
            fresh.add(channel);
        }
        for (SocketChannel channel : fresh) {
            greeted(channel);
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, from + fresh.indexOf(channel) < timed);
        }
        round(0);
    }

    /** Byte by byte, so that no frame is taken with the greeting. */
    private static void greeted(SocketChannel channel) throws IOException {
        var greeting = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (greeting.indexOf("\r\n\r\n") < 0) {
            if (channel.read(one.clear()) < 0) {
                break;
            }
            greeting.append((char) one.get(0));
        }
        if (!greeting.toString().startsWith("HTTP/1.1 101")) {
            throw new IOException("no WebSocket: " + greeting);
        }
    }

    private void round(int millis) throws IOException {
        if (millis == 0) {
            selector.selectNow(this::read);
        } else {
            selector.select(this::read, millis);
        }
    }

    private void read(SelectionKey key) {
        int count;
        try {
            count = ((SocketChannel) key.channel()).read(room.clear());
        } catch (IOException reset) {
            count = -1;
        }
        if (count < 0) {
            closed++;
            key.cancel();
            return;
        }
        bytes += count;
        if (Boolean.TRUE.equals(key.attachment())) {
            room.flip().get(text, 0, count);
            times(count, System.nanoTime());
        }
    }

    private void times(int count, long now) {
        int at = 0;
        while (at < count) {
            if (text[at++] != '@') {
                continue;
            }
            long printed = 0;
            int begin = at;
            while (at < count && text[at] >= '0' && text[at] <= '9') {
                printed = printed * 10 + text[at++] - '0';
            }
            if (at < count && text[at] == '@' && at - begin >= 8 && waited < MOST_WAITS) {
                at++;
                if (waited == waits.length) {
                    waits = Arrays.copyOf(waits, 2 * waited);
                }
                waits[waited++] = now - printed;
            }
        }
    }

    private String figures(double seconds) {
        long[] sorted = Arrays.copyOf(waits, waited);
        Arrays.sort(sorted);
        return "{\"seconds\":" + seconds + ",\"bytes\":" + bytes + ",\"closed\":" + closed + ",\"lines\":" + waited
                + ",\"p50\":" + percentile(sorted, .5) + ",\"p99\":" + percentile(sorted, .99) + "}";
    }

    private static double percentile(long[] sorted, double share) {
        return sorted.length == 0 ? -1 : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e6;
    }
}
