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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The door of following: the tails of all logs that somebody follows, one per log. */
public final class Tails {
    private static final System.Logger LOG = System.getLogger(Tails.class.getName());
    private static final long LOOK_MILLIS = 2_000;
    private static final long SETTLE_MILLIS = 20;
    private static final int REST_MILLIS = 8;
    private static final int REST_MILLIS_FOR_MANY = 28;
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

    /** On the socket's event loop, which the socket stays on. */
    public void follow(Followed log, long offset, Pace pace, ServerWebSocket socket, Channel channel) {
        enter(
                log,
                tail -> new SocketFollower(tail, offset, pace, socket, channel),
                SocketFollower::greet,
                failure -> socket.close(SocketFollower.BROKEN, "The log can not be read at the moment.")
                        .onFailure(gone -> {}));
    }

    /** Until the log ends or the reader goes. */
    public Future<Void> follow(Followed log, long offset, HttpServerResponse response) {
        var opened = new AnswerFollower[1];
        var failed = new Throwable[1];
        enter(
                log,
                tail -> opened[0] = new AnswerFollower(tail, offset, response),
                follower -> {},
                failure -> failed[0] = failure);
        return opened[0] == null || failed[0] != null ? Future.failedFuture(failed[0]) : opened[0].over();
    }

    private <F extends Follower> void enter(
            Followed log, Function<Tail, F> follower, Consumer<F> first, Consumer<IOException> failed) {
        EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
        try {
            boolean joined = false;
            while (!joined) {
                Tail tail = tails.computeIfAbsent(log.task(), task -> open(log));
                F made = follower.apply(tail);
                joined = tail.join(made, loop);
                if (joined) {
                    first.accept(made);
                } else {
                    tails.remove(log.task(), tail);
                }
            }
        } catch (UncheckedIOException e) {
            LOG.log(System.Logger.Level.WARNING, "event=log-unreadable task=" + log.task(), e);
            failed.accept(e.getCause());
        }
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

    <T> void read(Callable<T> reading, Consumer<T> read, Consumer<String> failed) {
        worker.run(reading).onSuccess(read::accept).onFailure(failure -> {
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
