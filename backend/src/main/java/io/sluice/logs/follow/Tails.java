package io.sluice.logs.follow;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.prometheus.client.CollectorRegistry;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.Reader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The door of following: the tails of all logs that somebody follows, one per log. */
public final class Tails {
    private static final System.Logger LOG = System.getLogger(Tails.class.getName());
    private static final long LOOK_MILLIS = 2_000;
    private static final long SETTLE_MILLIS = 20;
    private static final int REST_MILLIS = 8;
    private static final int REST_MILLIS_FOR_MANY = 30;
    private static final int KEEN_MILLIS = 1;
    private static final int HOT_MILLIS = 10;
    private static final int COLD_MILLIS = 40;
    /** So long after the log has grown it is looked at keenly: what prints at a steady pace is about to print again. */
    private static final int KEEN_FOR_MILLIS = 60;

    private static final int HOT_FOR_MILLIS = 2_000;
    private static final int MOST_KEEN_TAILS = 20;
    private static final int TAILS_PER_MILLI = 5;

    /** A log, and how it stands. */
    public record Followed(
            long task,
            LogFile file,
            boolean ended,
            @Nullable Integer exitCode) {}

    /** @param exitCode of a task that has ended */
    public record Ended(long task, @Nullable Integer exitCode) {}

    /** Does blocking work elsewhere, and fails where there is too much of it. */
    public interface Worker {
        <T> Future<T> run(Callable<T> work);
    }

    private final Vertx vertx;
    private final Worker worker;
    private final Function<Collection<Long>, Future<List<Ended>>> ended;
    private final FollowMetrics metrics;
    private final Map<Long, Tail> tails = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicBoolean rung = new AtomicBoolean();
    private final long timer;

    /** @param ended tells those of the given tasks that have ended */
    public Tails(
            Vertx vertx,
            Worker worker,
            Function<Collection<Long>, Future<List<Ended>>> ended,
            CollectorRegistry registry) {
        this.vertx = vertx;
        this.worker = worker;
        this.ended = ended;
        this.metrics = new FollowMetrics(registry);
        this.timer = vertx.setPeriodic(LOOK_MILLIS, tick -> ring());
    }

    public void close() {
        vertx.cancelTimer(timer);
    }

    /** Something about tasks has changed. Callable from any thread. */
    public void ring() {
        rung.set(true);
        if (!tails.isEmpty() && looking.compareAndSet(false, true)) {
            look();
        }
    }

    private void look() {
        rung.set(false);
        ended.apply(List.copyOf(tails.keySet()))
                .onSuccess(tasks -> tasks.forEach(task -> {
                    Tail tail = tails.get(task.task());
                    if (tail != null) {
                        tail.complete(task.exitCode());
                    }
                }))
                .onComplete(looked -> vertx.setTimer(SETTLE_MILLIS, settled -> {
                    looking.set(false);
                    if (rung.get()) {
                        ring();
                    }
                }));
    }

    /** How far the log of a task has been read; 0: nobody follows it. */
    public long read(long task) {
        Tail tail = tails.get(task);
        return tail == null ? 0 : tail.position();
    }

    /** On the socket's event loop, which the socket stays on. */
    public void follow(Followed log, long offset, Pace pace, ServerWebSocket socket, Channel channel) {
        socket.pause(); // until there is somebody who hears
        enter(log, tail -> new SocketFollower(tail, offset, pace, socket, channel), socket::isClosed)
                .onSuccess(SocketFollower::greet)
                .onFailure(failure -> {
                    unreadable(log, failure);
                    socket.close(SocketFollower.BROKEN, "The log can not be read at the moment.")
                            .onFailure(gone -> LOG.log(System.Logger.Level.DEBUG, "event=viewer-gone"));
                });
    }

    /** Until the log ends or the reader goes. */
    public Future<Void> follow(Followed log, long offset, HttpServerResponse response) {
        return enter(log, tail -> new AnswerFollower(tail, offset, response), response::closed)
                .onFailure(failure -> unreadable(log, failure))
                .compose(AnswerFollower::over);
    }

    private static void unreadable(Followed log, Throwable failure) {
        if (!(failure instanceof Gone)) {
            LOG.log(System.Logger.Level.WARNING, "event=log-unreadable task=" + log.task(), failure);
        }
    }

    /** Who wanted to follow went before the log was open. */
    private static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1;

        Gone() {
            super("the reader has gone", null, false, false);
        }
    }

    /** The log is opened elsewhere, and joined on the event loop of the one who follows. */
    private <F extends Follower> Future<F> enter(Followed log, Function<Tail, F> follower, BooleanSupplier gone) {
        EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
        return worker.run(() -> tails.computeIfAbsent(log.task(), task -> open(log)))
                .compose(tail -> {
                    if (gone.getAsBoolean()) {
                        return Future.failedFuture(new Gone());
                    }
                    F made = follower.apply(tail);
                    if (tail.join(made, loop)) {
                        return Future.succeededFuture(made);
                    }
                    tails.remove(log.task(), tail); // it stopped just now: the next one waits for its first
                    return enter(log, follower, gone);
                });
    }

    private Tail open(Followed log) {
        try {
            Tail tail = new Tail(log.task(), new Reader(log.file()), this);
            if (log.ended()) {
                tail.complete(log.exitCode());
            }
            Thread.ofVirtual().name("log-tail-" + log.task()).start(tail);
            metrics.tails(tails.size() + 1);
            return tail;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void over(Tail tail) {
        tails.remove(tail.task(), tail);
        metrics.tails(tails.size());
    }

    <T> void read(Callable<T> reading, Consumer<T> read, Consumer<String> failed, Runnable done) {
        worker.run(reading)
                .onComplete(over -> done.run())
                .onSuccess(read::accept)
                .onFailure(failure -> {
                    LOG.log(System.Logger.Level.WARNING, "event=log-read-failed", failure);
                    failed.accept("The log can not be read at the moment.");
                });
    }

    FollowMetrics metrics() {
        return metrics;
    }

    /** Between two frames: shorter would be more frames for the same bytes. */
    int restMillis(boolean many) {
        return many ? REST_MILLIS_FOR_MANY : REST_MILLIS;
    }

    /** Until the next look at a log that grew so long ago. With very many tails each is looked at a little less often. */
    int pauseMillis(long sinceGrown, boolean many) {
        if (sinceGrown < KEEN_FOR_MILLIS && many && tails.size() <= MOST_KEEN_TAILS) {
            return KEEN_MILLIS;
        }
        return sinceGrown < HOT_FOR_MILLIS ? HOT_MILLIS : Math.max(COLD_MILLIS, tails.size() / TAILS_PER_MILLI);
    }
}
