package io.sluice.endpoints.road.lines;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * On a browser's connection, before Vert.x hears of it: who asks for nothing but an app's page, and was let in before, goes to
 * the app at once. One at a time, never while Vert.x has a request of the connection; and whatever is not plain, or goes wrong
 * before an answer begins, is left to Vert.x as it came.
 */
public final class Shortcut extends ChannelDuplexHandler {
    private static final AttributeKey<Throwable> TROUBLE = AttributeKey.valueOf("sluice.endpoints.trouble");
    private static final String NAME = "shortcut";
    /** What else one read may bring of a sender who does not wait for answers. */
    private static final int MOST_WAITING = 4_096;

    private final Guide guide;
    private final Errand errand;
    private final Queue<Object> waiting = new ArrayDeque<>(0);
    /** Answers that Vert.x has still to give. */
    private int others;
    /** Vert.x has said that the connection ends. */
    private boolean closing;
    /** The end of the errand's request, which has no body, is still to come. */
    private boolean tail;

    private @Nullable ChannelPromise farewell;
    private @Nullable ChannelHandlerContext here;

    private Shortcut(HttpConnection connection, ChannelHandlerContext out, Guide guide) {
        this.guide = guide;
        this.errand = new Errand(connection, out, guide, this);
    }

    /** To be called before the connection's first request. */
    public static void open(HttpConnection connection, Guide guide) {
        if (connection instanceof HttpServerConnection server) {
            ChannelPipeline pipeline = server.channelHandlerContext().pipeline();
            ChannelHandlerContext encoder = pipeline.context("httpEncoder");
            if (encoder != null) {
                pipeline.addBefore("handler", NAME, new Shortcut(connection, encoder, guide));
            }
        }
    }

    /** Of this connection; null: it has no short way. */
    public static @Nullable Guide guide(HttpConnection connection) {
        return connection instanceof HttpServerConnection server
                        && server.channelHandlerContext().pipeline().get(NAME) instanceof Shortcut there
                ? there.guide
                : null;
    }

    /** Why what comes now could not go the short way; null: it did not try. */
    public static @Nullable Throwable trouble(HttpConnection connection) {
        return connection instanceof HttpServerConnection server
                        && server.channelHandlerContext().channel().hasAttr(TROUBLE)
                ? server.channelHandlerContext().channel().attr(TROUBLE).getAndSet(null)
                : null;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        here = context;
    }

    private ChannelHandlerContext here() {
        ChannelHandlerContext there = here;
        if (there == null) {
            throw new IllegalStateException("not on a connection");
        }
        return there;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (tail) {
            end(message);
        } else if (errand.isGoing()) {
            await(context, message);
        } else if (message instanceof HttpRequest asked) {
            if (others > 0 || closing || !errand.goes(asked)) {
                others++;
                context.fireChannelRead(message);
            }
        } else {
            context.fireChannelRead(message);
            if (!(message instanceof HttpObject)) {
                // it speaks another protocol now
                context.pipeline().remove(this);
            }
        }
    }

    /** Its request is not there any more; what is left of it comes next. */
    void gone() {
        tail = true;
    }

    private void end(Object message) {
        tail = false;
        boolean nothing = message instanceof LastHttpContent last
                && !last.content().isReadable()
                && last.decoderResult().isSuccess();
        ReferenceCountUtil.release(message);
        if (!nothing) {
            errand.cut();
        }
    }

    private void await(ChannelHandlerContext context, Object message) {
        context.channel().config().setAutoRead(false);
        if (waiting.size() < MOST_WAITING) {
            waiting.add(message);
        } else {
            ReferenceCountUtil.release(message);
            errand.cut();
        }
    }

    /** Vert.x gets the request as it came. */
    void back(HttpRequest asked, Throwable trouble) {
        ChannelHandlerContext context = here();
        others++;
        context.channel().attr(TROUBLE).set(trouble);
        context.fireChannelRead(asked);
        if (tail) {
            tail = false; // it comes by itself
        } else {
            context.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
            context.fireChannelReadComplete();
        }
        goOn();
    }

    /** What came meanwhile. */
    void goOn() {
        ChannelHandlerContext context = here();
        ChannelPromise leaves = farewell;
        if (leaves != null) {
            farewell = null;
            var unused = context.close(leaves);
        } else if (!waiting.isEmpty()) {
            context.channel().config().setAutoRead(true);
            while (!waiting.isEmpty() && (tail || !errand.isGoing())) {
                channelRead(context, waiting.remove());
            }
            context.fireChannelReadComplete();
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean interim = false;
        if (message instanceof HttpResponse response) {
            interim = response.status().code() < 200;
            closing |= response.headers().contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
        }
        if (message instanceof LastHttpContent && !interim) {
            others--;
            closing |= others < 0;
        }
        var unused = context.write(message, promise);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            errand.roomAgain();
        }
        context.fireChannelWritabilityChanged();
    }

    /** A server that is asked to end lets an answer end first; who insists does not wait. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (errand.isGoing() && farewell == null) {
            farewell = promise;
        } else {
            var unused = context.close(promise);
        }
    }

    /** Nobody has said a word for long: nothing is waited for then. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            errand.cut();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        errand.cut();
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
        if (farewell != null) {
            farewell.trySuccess();
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        errand.cut();
        context.fireExceptionCaught(cause);
    }
}
