package io.sluice.endpoints.road.lines;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The connections to one life of one app, and to nothing else: on each event loop those that were asked for there. */
public final class Lines {
    /** At once, on one event loop. */
    static final int MOST = 256;

    static final int WAITING = 1_024;
    /** For a line. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final int TUNNELS = 10_000;
    private static final int CONNECT_MILLIS = 5_000;
    /** Shorter than what usual servers allow, so that none closes what is about to be used. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(4);
    /** What an app says too much comes soon, and ends the line; only then has another browser's talk a use for it. */
    private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Read at once; as much again may wait for a reader before the app has to. */
    public static final int PIECE = 128 << 10;

    private final LinesMetrics metrics;
    private final java.net.SocketAddress address;
    private final ChannelFactory<? extends Channel> channels;
    private final Map<EventLoop, Shelf> shelves = new ConcurrentHashMap<>();
    private final AtomicInteger tunnels = new AtomicInteger();
    private final long waitNanos;
    private volatile boolean closed;

    public Lines(Vertx vertx, LinesMetrics metrics, SocketAddress address) {
        this(vertx, metrics, address, WAIT_NANOS);
    }

    Lines(Vertx vertx, LinesMetrics metrics, SocketAddress address, long waitNanos) {
        this.metrics = metrics;
        this.waitNanos = waitNanos;
        var transport = ((VertxInternal) vertx).transport();
        this.address = transport.convert(address);
        this.channels = transport.channelFactory(address.isDomainSocket());
    }

    /** There are as many as may be, and as many wait for one. */
    public static final class Full extends RuntimeException {
        private static final long serialVersionUID = 1;

        Full() {
            super("too much is going on", null, false, false);
        }
    }

    /** A line had been closed at the other end while it rested: that was no answer, and it may be asked once more. */
    public static final class Stale extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stale() {
            super("it was closed while it rested", null, false, false);
        }
    }

    /**
     * Finds a line for a talk. To be called on this event loop.
     *
     * @param fresh one that nobody has used
     */
    public void lend(EventLoop loop, Talk talk, boolean fresh) {
        shelves.computeIfAbsent(loop, Shelf::new).lend(talk, fresh);
    }

    /** Opens a line that stays with its talk. */
    public void open(EventLoop loop, Talk talk) {
        if (tunnels.incrementAndGet() > TUNNELS || closed) {
            tunnels.decrementAndGet();
            talk.broken(new Full());
            return;
        }
        connect(loop, new Line(talk, null), tunnels::decrementAndGet);
    }

    /** Cuts all of them. */
    public void close() {
        closed = true;
        shelves.values().forEach(shelf -> run(shelf.loop, shelf::clear));
    }

    /** Why nothing more comes from an app that is closed. */
    public static IOException gone() {
        return new IOException("the app is gone");
    }

    /** An event loop that has ended has closed what it had. */
    private static void run(EventLoop loop, Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException ended) {
            System.getLogger(Lines.class.getName()).log(System.Logger.Level.DEBUG, "event=loop-ended");
        }
    }

    private void connect(EventLoop loop, Line line, Runnable end) {
        metrics.open(1);
        Runnable over = () -> {
            metrics.open(-1);
            end.run();
        };
        var unused = new Bootstrap()
                .group(loop)
                .channelFactory(channels)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new AdaptiveRecvByteBufAllocator(256, 2_048, PIECE))
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(PIECE / 2, PIECE))
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        line.attach(channel);
                    }
                })
                .connect(address)
                .addListener(connected -> {
                    if (connected.isSuccess()) {
                        line.channel().closeFuture().addListener(ended -> over.run());
                        if (closed) {
                            line.failed(gone());
                        } else {
                            line.begin();
                        }
                    } else {
                        over.run();
                        line.failed(connected.cause());
                    }
                });
    }

    private record Waiting(Talk talk, long since) {}

    /** Those of one event loop, which nobody else touches. */
    final class Shelf {
        private final EventLoop loop;
        private final SequencedSet<Line> resting = new LinkedHashSet<>();
        /** Of those that rest the one that each browser's connection used last. */
        private final Map<Object, Line> own = new HashMap<>();

        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private final Set<Line> all = new HashSet<>();
        private boolean watching;

        Shelf(EventLoop loop) {
            this.loop = loop;
        }

        void lend(Talk talk, boolean fresh) {
            Line line = fresh ? null : rested(talk.origin());
            if (line != null) {
                line.take(talk);
            } else if (closed) {
                talk.broken(new Full());
            } else if (all.size() < MOST) {
                connect(talk);
            } else if (waiting.size() < WAITING) {
                waiting.add(new Waiting(talk, System.nanoTime()));
                metrics.waiting(1);
            } else {
                talk.broken(new Full());
            }
        }

        private @Nullable Line rested(Object origin) {
            long now = System.nanoTime();
            Line last = own.get(origin);
            if (last != null && isFit(last, origin, now)) {
                leave(last);
                return last;
            }
            for (Line line : resting.reversed()) {
                if (isFit(line, origin, now)) {
                    leave(line);
                    return line;
                }
            }
            return null;
        }

        private boolean isFit(Line line, Object origin, long now) {
            long rest = now - line.since();
            return line.channel().isActive()
                    && rest < REST_NANOS
                    && (origin.equals(line.origin()) || rest > SETTLED_NANOS);
        }

        /** It rests no more. */
        private void leave(Line line) {
            resting.remove(line);
            Object origin = line.origin();
            if (origin != null) {
                own.remove(origin, line);
            }
        }

        private void connect(Talk talk) {
            var line = new Line(talk, this);
            all.add(line);
            Lines.this.connect(loop, line, () -> gone(line));
            if (!watching) {
                watching = true;
                watch();
            }
        }

        /** It can be used once more. */
        void rest(Line line) {
            // who waits gets a fresh one in its place
            if (closed || !waiting.isEmpty()) {
                line.close();
            } else {
                resting.add(line);
                Object origin = line.origin();
                if (origin != null) {
                    own.put(origin, line);
                }
            }
        }

        private @Nullable Talk next() {
            for (Waiting first; (first = waiting.poll()) != null; ) {
                metrics.waiting(-1);
                if (first.talk().isWanted()) {
                    return first.talk();
                }
            }
            return null;
        }

        private void gone(Line line) {
            all.remove(line);
            leave(line);
            Talk next = next();
            if (next != null) {
                lend(next, false);
            }
        }

        /** Once a second: who has rested for long goes, and who has waited for long is told. */
        private void watch() {
            watching = !all.isEmpty();
            if (watching) {
                long now = System.nanoTime();
                while (!resting.isEmpty() && now - resting.getFirst().since() > REST_NANOS) {
                    Line rested = resting.getFirst();
                    leave(rested);
                    rested.close();
                }
                while (!waiting.isEmpty() && now - waiting.getFirst().since() > waitNanos) {
                    metrics.waiting(-1);
                    waiting.removeFirst().talk().broken(new Full());
                }
                all.stream().filter(line -> line.isLate(now)).toList().forEach(Line::giveUp);
                var unused = loop.schedule(this::watch, 1, TimeUnit.SECONDS);
            }
        }

        void clear() {
            Set.copyOf(all).forEach(line -> line.failed(Lines.gone()));
            for (Talk talk; (talk = next()) != null; ) {
                talk.broken(new Full());
            }
        }
    }
}
