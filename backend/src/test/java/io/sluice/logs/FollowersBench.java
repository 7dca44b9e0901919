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
 * Many followers of one log over WebSocket on one thread, for {@code ./sluice bench}. Arguments: port, path, how many, how many of them, evenly among all,
 * read the time and the number of each line ({@code @nanoseconds@ step number}), how many bytes of offset begin each binary frame (0: every frame is
 * log), further header lines. A line on standard input that says for how many milliseconds is answered by one of figures. Only bytes of the log are
 * counted: neither headers nor what else is said.
 */
final class FollowersBench {
    private static final int AT_ONCE = 50;
    private static final int MOST_WAITS = 2_000_000;

    private final Selector selector = Selector.open();
    private final ByteBuffer room = ByteBuffer.allocateDirect(256 << 10);
    private final int prefix;
    private long bytes;
    /** Bytes or lines that did not follow what came before them. */
    private int torn;

    private int closed;
    private long[] waits = new long[1 << 16];
    private int waited;

    private FollowersBench(int prefix) throws IOException {
        this.prefix = prefix;
    }

    public static void main(String[] args) throws IOException {
        int count = Integer.parseInt(args[2]);
        int timed = Integer.parseInt(args[3]);
        var bench = new FollowersBench(Integer.parseInt(args[4]));
        var more = new StringBuilder();
        Arrays.stream(args).skip(5).forEach(header -> more.append(header).append("\r\n"));
        for (int begun = 0; begun < count; begun += AT_ONCE) {
            bench.open(
                    Integer.parseInt(args[0]),
                    args[1],
                    more.toString(),
                    begun,
                    Math.min(count, begun + AT_ONCE),
                    Math.max(1, count / timed));
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
        torn = 0;
        long began = System.nanoTime();
        while (System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(millis)) {
            round(20);
        }
        System.out.println(figures((System.nanoTime() - began) / 1e9));
        System.out.flush();
    }

    private void open(int port, String path, String headers, int from, int to, int nth) throws IOException {
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
            boolean timed = (from + fresh.indexOf(channel)) % nth == 0;
            channel.register(selector, SelectionKey.OP_READ, new Follower(timed));
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
        ((Follower) key.attachment()).take(room, count, System.nanoTime());
    }

    /** One follower's frames, wherever reading cut them. */
    private final class Follower {
        private static final int LONGEST_HEADER = 10;
        /** Of a line, so much holds its time and its number. */
        private static final int LONGEST_BEGINNING = 48;

        private final boolean timed;
        private final byte[] header = new byte[LONGEST_HEADER + Long.BYTES];
        private int known;
        private long left;
        private boolean counts;
        private long next = -1;
        private long step = -1;
        private long value;
        private final byte[] line = new byte[LONGEST_BEGINNING];
        private int length;

        Follower(boolean timed) {
            this.timed = timed;
        }

        void take(ByteBuffer from, int count, long now) {
            int at = 0;
            while (at < count) {
                if (left == 0) {
                    header[known++] = from.get(at++);
                    begin();
                    continue;
                }
                int part = (int) Math.min(left, count - at);
                if (counts) {
                    bytes += part;
                    if (timed) {
                        lines(from, at, at + part, now);
                    }
                }
                at += part;
                left -= part;
            }
        }

        /** Once the header is whole, and with it the offset: so much follows. */
        private void begin() {
            int length = known < 2 ? 0 : header[1] & 0x7f;
            int whole = length < 126 ? 2 : length == 126 ? 4 : LONGEST_HEADER;
            if (known < whole) {
                return;
            }
            var fields = ByteBuffer.wrap(header);
            long size = length < 126 ? length : length == 126 ? fields.getChar(2) : fields.getLong(2);
            counts = prefix == 0 ? (header[0] & 8) == 0 : (header[0] & 15) == 2;
            int offset = counts ? prefix : 0;
            if (known < whole + offset) {
                return;
            }
            known = 0;
            left = size - offset;
            if (counts && offset > 0) {
                long begins = fields.getLong(whole);
                torn += next >= 0 && begins != next ? 1 : 0;
                next = begins + left;
            }
        }

        private void lines(ByteBuffer from, int begin, int end, long now) {
            for (int at = begin; at < end; at++) {
                byte letter = from.get(at);
                if (letter != '\n') {
                    if (length < line.length) {
                        line[length++] = letter;
                    }
                } else {
                    int behind = number(1);
                    // "@nanoseconds@ step number": what follows a cut does not begin so
                    if (length == line.length && line[0] == '@' && line[behind] == '@') {
                        long printed = value;
                        number(behind + " step ".length() + 1);
                        arrived(printed, value, now);
                    }
                    length = 0;
                }
            }
        }

        /** Reads the digits from here on into {@code value}, and tells where they end. */
        private int number(int from) {
            int at = from;
            value = 0;
            while (at < length - 1 && line[at] >= '0' && line[at] <= '9') {
                value = value * 10 + line[at++] - '0';
            }
            return at;
        }

        private void arrived(long printed, long number, long now) {
            torn += step >= 0 && number != step + 1 ? 1 : 0;
            step = number;
            if (waited == MOST_WAITS) {
                return;
            }
            if (waited == waits.length) {
                waits = Arrays.copyOf(waits, 2 * waited);
            }
            waits[waited++] = now - printed;
        }
    }

    private String figures(double seconds) {
        long[] sorted = Arrays.copyOf(waits, waited);
        Arrays.sort(sorted);
        return "{\"seconds\":" + seconds + ",\"bytes\":" + bytes + ",\"closed\":" + closed + ",\"torn\":" + torn
                + ",\"lines\":" + waited + ",\"p50\":" + percentile(sorted, .5) + ",\"p99\":" + percentile(sorted, .99)
                + "}";
    }

    private static double percentile(long[] sorted, double share) {
        return sorted.length == 0 ? -1 : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e6;
    }
}
