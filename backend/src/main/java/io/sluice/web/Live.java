package io.sluice.web;

import io.netty.channel.Channel;
import io.netty.handler.timeout.IdleStateHandler;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.impl.HttpServerConnection;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What stays open: the feeds that keep pages current, and the check that a stream's caller may still be there.
 *
 * <p>A viewer is never queued for. It holds one cursor; when something changed it asks for everything since, and while it is asking or its
 * socket is full it only remembers to ask again.
 */
public final class Live {
    public static final String SUBPROTOCOL = "sluice.live.v1";
    static final int SIGNED_OUT = 4401;
    /** So long a page that was just told something is left in peace: what happens meanwhile is told at once, in one answer. */
    private static final long REST_MILLIS = 80;

    /** What changed since a cursor, for this caller. The room answers with everything there is for a cursor it does not know. */
    @FunctionalInterface
    public interface Feed {
        Future<Changes> since(Caller caller, @Nullable String cursor);
    }

    /** @param cursor where the next question starts, of letters and digits: nothing committed before it is missing from {@code fragments} */
    public record Changes(List<Fragment> fragments, String cursor) {
        public Changes {
            if (!cursor.matches("[A-Za-z0-9_.:-]*")) {
                throw new IllegalArgumentException("a cursor goes into a page as it is: " + cursor);
            }
        }
    }

    /** A template that draws {@code <turbo-stream>} elements. */
    public record Fragment(String template, Object page) {}

    /** @param refuse ends it because its caller may no longer be there; {@code ping} is sent now and then */
    private record Stream(Caller caller, Runnable refuse, Runnable ping, Supplier<Future<Void>> close) {}

    private final Vertx vertx;
    private final Pages pages;
    private final Authenticator authenticator;
    private final Web.Settings settings;
    private final Web.Metrics metrics;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();
    /** By the socket or the answer that is open. */
    private final Map<Object, Stream> streams = new ConcurrentHashMap<>();

    private long checks;

    Live(Vertx vertx, Pages pages, Authenticator authenticator, Web.Settings settings, Web.Metrics metrics) {
        this.vertx = vertx;
        this.pages = pages;
        this.authenticator = authenticator;
        this.settings = settings;
        this.metrics = metrics;
        vertx.setPeriodic(Duration.ofSeconds(2).toMillis(), tick -> check());
    }

    /** The answer to a page that wants to stay current: a WebSocket that first tells everything since its cursor. */
    public Reply follow(Call call, String topic, Feed feed) {
        String since = call.query("since").orElse(null);
        return Reply.socket(socket -> {
            var viewer = new Viewer(topic, feed, call, socket, vertx.getOrCreateContext(), since);
            viewers.add(viewer);
            socket.drainHandler(drained -> viewer.proceed());
            viewer.proceed();
        });
    }

    /** Something of this topic changed. Cheap, and callable from any thread. */
    public void ring(String topic) {
        viewers.stream().filter(viewer -> viewer.topic.equals(topic)).forEach(Viewer::ring);
    }

    /** What nobody tells of is looked at now and then, while somebody follows it. */
    public void ring(String topic, Duration every) {
        vertx.setPeriodic(every.toMillis(), tick -> ring(topic));
    }

    /** Somebody's rights changed: every open stream is checked now and not only at the next tick. */
    public void recheck() {
        vertx.runOnContext(now -> check());
    }

    Future<Void> upgrade(Call call, Reply.Content.Socket socket) {
        var request = call.context().request();
        if (!"websocket".equalsIgnoreCase(request.getHeader("Upgrade"))) {
            return Future.failedFuture(Problem.invalid("This address speaks WebSocket. Open it with one."));
        }
        Caller caller = call.caller();
        Problem full = enter(request, new Stream(caller, () -> {}, () -> {}, Future::succeededFuture));
        if (full != null) {
            return Future.failedFuture(full);
        }
        Channel channel = channel(request);
        return request.toWebSocket()
                // what fails on the connection of somebody who has left says anything but that
                .recover(failure -> Future.failedFuture(channel.isActive() ? failure : new ClosedChannelException()))
                .onFailure(notOpened -> streams.remove(request))
                .map(opened -> {
                    admit(request, opened, caller);
                    socket.opened().accept(opened, channel);
                    return null;
                });
    }

    /** An answer that goes on for as long as its room has something to write. */
    Future<Void> hold(Call call, Reply.Content.Stream stream) {
        HttpServerResponse response = call.context().response();
        Runnable cut = () -> Edge.end(response.reset());
        Problem full = enter(response, new Stream(call.caller(), cut, () -> {}, response::reset));
        if (full != null) {
            return Future.failedFuture(full);
        }
        metrics.streams.inc();
        if (stream.quiet()) {
            // the listener still closes connections on which nobody asks anything
            var pipeline = channel(call.context().request()).pipeline();
            if (pipeline.get(IdleStateHandler.class) != null) {
                pipeline.remove(IdleStateHandler.class);
            }
        }
        return stream.written()
                .apply(response)
                .onComplete(over -> {
                    if (streams.remove(response) != null) {
                        metrics.streams.dec();
                    }
                })
                .recover(failure -> {
                    if (!response.headWritten()) {
                        return Future.failedFuture(failure);
                    }
                    cut.run(); // half an answer must not look like a whole one
                    return Future.succeededFuture();
                });
    }

    static Channel channel(HttpServerRequest request) {
        return ((HttpServerConnection) request.connection())
                .channelHandlerContext()
                .channel();
    }

    /** Takes a place, from before it is opened, so that many that come together do not all find the same one free. */
    private synchronized @Nullable Problem enter(Object key, Stream stream) {
        long open = streams.values().stream()
                .filter(other -> other.caller().id() == stream.caller().id())
                .count();
        if (open < settings.streamsPerUser()) {
            streams.put(key, stream);
            return null;
        }
        metrics.refused.labels("streams_per_user").inc();
        return Problem.tooMany(
                "You have " + open + " live connections open, which is the limit. Close some pages and try again.",
                Duration.ofSeconds(30));
    }

    Future<Void> close() {
        return Future.join(streams.values().stream()
                        .map(stream -> stream.close().get())
                        .toList())
                .otherwiseEmpty()
                .mapEmpty();
    }

    private synchronized void admit(HttpServerRequest request, ServerWebSocket socket, Caller caller) {
        streams.remove(request);
        streams.put(
                socket,
                new Stream(
                        caller,
                        () -> {
                            forget(socket); // what is written after the farewell makes a browser take it for a broken
                            // line
                            Edge.end(socket.close((short) SIGNED_OUT, "signed out"));
                        },
                        () -> Edge.end(socket.writePing(Buffer.buffer())),
                        () -> socket.close((short) 1001, "the gateway restarts; reconnect")));
        metrics.streams.inc();
        socket.endHandler(ended -> forget(socket));
        socket.exceptionHandler(broken -> forget(socket));
    }

    private void forget(ServerWebSocket socket) {
        if (streams.remove(socket) != null) {
            metrics.streams.dec();
            viewers.removeIf(viewer -> viewer.socket.equals(socket));
        }
    }

    private void check() {
        boolean ping = checks++ % 12 == 0; // every 24 s, well within the idle limit of connections
        streams.values().stream()
                .collect(Collectors.groupingBy(stream -> stream.caller().credential()))
                .values()
                .forEach(sameCredential -> check(sameCredential, ping));
        viewers.forEach(Viewer::retry);
    }

    private void check(List<Stream> sameCredential, boolean ping) {
        // a failed check says nothing about the caller: the database may be away for a moment
        authenticator
                .stillValid(sameCredential.getFirst().caller())
                .otherwise(true)
                .onSuccess(valid -> sameCredential.forEach(stream -> {
                    if (!valid) {
                        metrics.streamsEnded.labels("signed_out").inc();
                        stream.refuse().run();
                    } else if (ping) {
                        stream.ping().run();
                    }
                }));
    }

    /** One open page. All of its methods but {@link #ring} run on its own context. */
    private final class Viewer {
        private final String topic;
        private final Feed feed;
        private final Call call;
        private final ServerWebSocket socket;
        private final Context context;
        private @Nullable String cursor;
        private boolean asking;
        private boolean resting;
        /** It has been told that it is heard, news or not. */
        private boolean greeted;

        private boolean behind = true;

        Viewer(String topic, Feed feed, Call call, ServerWebSocket socket, Context context, @Nullable String cursor) {
            this.topic = topic;
            this.feed = feed;
            this.call = call;
            this.socket = socket;
            this.context = context;
            this.cursor = cursor;
        }

        void ring() {
            context.runOnContext(now -> {
                behind = true;
                proceed();
            });
        }

        void retry() {
            context.runOnContext(now -> proceed());
        }

        void proceed() {
            if (asking
                    || resting
                    || !behind
                    || socket.isClosed()
                    || socket.writeQueueFull()
                    || !streams.containsKey(socket)) {
                return;
            }
            asking = true;
            behind = false;
            metrics.liveCatchUps.inc();
            Future.succeededFuture()
                    .compose(asked -> feed.since(call.caller(), cursor)) // so that a feed that throws has failed
                    .onComplete(
                            changes -> context.runOnContext(now -> tell(changes)),
                            failed -> context.runOnContext(now -> {
                                asking = false;
                                behind = true; // asked again at the next tick
                            }));
        }

        private void tell(Changes changes) {
            asking = false;
            if (socket.isClosed() || !streams.containsKey(socket)) {
                return;
            }
            boolean news =
                    !changes.cursor().equals(cursor) || !changes.fragments().isEmpty();
            cursor = changes.cursor();
            if (news || !greeted) {
                write(changes);
            }
            resting = true;
            vertx.setTimer(
                    REST_MILLIS,
                    over -> context.runOnContext(now -> {
                        resting = false;
                        proceed();
                    }));
        }

        private void write(Changes changes) {
            greeted = true;
            View view = pages.view(call);
            Buffer text = Buffer.buffer();
            changes.fragments()
                    .forEach(fragment -> text.appendBuffer(pages.draw(fragment.template(), view, fragment.page())));
            text.appendString("<live-cursor value=\"" + changes.cursor() + "\"></live-cursor>");
            Edge.end(socket.writeTextMessage(text.toString()));
        }
    }
}
