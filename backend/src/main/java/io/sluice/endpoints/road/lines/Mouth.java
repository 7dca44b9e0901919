package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.buffer.BufferInternal;
import org.jspecify.annotations.Nullable;

/**
 * An answer on its way to a browser: of what came at once head and body in one go, of what is long the bytes in the buffers
 * that the network filled. Who reads slowly stops the line that it comes from.
 */
public final class Mouth {
    /** The browser's connection holds back so much before its app has to wait. */
    static final WriteBufferWaterMark HELD_BACK = new WriteBufferWaterMark(Lines.PIECE / 2, 2 * Lines.PIECE);

    private static final String DRAIN = "drain";

    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private @Nullable Line line;
    private @Nullable ByteBuf first;
    private @Nullable ChannelHandlerContext direct;
    private @Nullable Drain drain;

    public Mouth(HttpServerRequest request) {
        this.request = request;
        this.response = request.response();
    }

    /** On a browser's connection: tells the line that waited when there is room again. */
    private static final class Drain extends ChannelInboundHandlerAdapter {
        private @Nullable Line waits;

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            Line waited = waits;
            if (waited != null && context.channel().isWritable()) {
                waits = null;
                waited.resume();
            }
            context.fireChannelWritabilityChanged();
        }
    }

    /** Where the bytes come from. */
    public void listen(Line from) {
        line = from;
    }

    /** Some of the body. The first of it waits, as it may be all. */
    public void say(ByteBuf bytes) {
        if (first == null && !response.headWritten()) {
            first = bytes;
        } else {
            speak();
            pass(bytes);
        }
    }

    /** What there is goes off: what follows may take its time. */
    public void speak() {
        ByteBuf bytes = first;
        if (bytes != null) {
            first = null;
            direct = direct();
            handOver(bytes);
        } else if (!response.headWritten() && request.version() != HttpVersion.HTTP_1_0) {
            direct = direct();
            response.writeHead();
        }
    }

    /** What goes by other ways than Vert.x's must not overtake what waits there. */
    private @Nullable ChannelHandlerContext direct() {
        if (request.version() != HttpVersion.HTTP_1_1
                || !(request.connection() instanceof HttpServerConnection connection)) {
            return null;
        }
        ChannelHandlerContext context = connection.channelHandlerContext();
        if (!context.channel().isWritable()) {
            return null;
        }
        drain = drain(context.channel());
        return context;
    }

    private static Drain drain(Channel channel) {
        if (channel.pipeline().get(DRAIN) instanceof Drain there) {
            return there;
        }
        var fresh = new Drain();
        channel.config().setWriteBufferWaterMark(HELD_BACK);
        channel.pipeline().addBefore("handler", DRAIN, fresh);
        return fresh;
    }

    private void pass(ByteBuf bytes) {
        ChannelHandlerContext context = direct;
        Drain room = drain;
        if (context == null || room == null) {
            handOver(bytes);
            return;
        }
        Channel channel = context.channel();
        var unused = context.writeAndFlush(new DefaultHttpContent(bytes), channel.voidPromise());
        if (!channel.isWritable() && line != null) {
            line.pause();
            room.waits = line;
        }
    }

    private void handOver(ByteBuf bytes) {
        response.write(BufferInternal.buffer(bytes)).onComplete(written -> bytes.release());
        Line from = line;
        if (direct == null && from != null && response.writeQueueFull()) {
            from.pause();
            response.drainHandler(drained -> from.resume());
        }
    }

    /** All of it was said. */
    public Future<Void> end() {
        stopListening();
        ByteBuf bytes = first;
        first = null;
        return bytes == null
                ? response.end()
                : response.end(BufferInternal.buffer(bytes)).onComplete(written -> bytes.release());
    }

    /** There will be no more. */
    public void close() {
        stopListening();
        if (first != null) {
            first.release();
            first = null;
        }
    }

    private void stopListening() {
        if (drain != null && drain.waits == line) {
            drain.waits = null;
        }
        line = null;
    }
}
