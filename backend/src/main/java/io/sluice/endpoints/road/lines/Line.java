package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.MultiMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One connection to an app, on one event loop, with one talk at a time. */
public final class Line extends ChannelInboundHandlerAdapter {
    private static final int HEADER_BYTES = 64 << 10;
    /** Until an app begins to answer. */
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(300);

    private static final int SWITCHING = 101;
    /** What an app may say before it answers. */
    static final int INTERIM = 32;

    private final Lines.@Nullable Shelf shelf;
    /** Bytes of a new protocol that came with its beginning. */
    private final List<ByteBuf> early = new ArrayList<>(0);

    private @Nullable Talk talk;
    private final Decoder decoder = new Decoder();
    private @Nullable Channel channel;
    private @Nullable Object origin;
    private long since;
    private boolean used;
    /** Something has come since it was asked. */
    private boolean heard;

    private int interim;
    private boolean headOnly;
    private boolean asked;
    private boolean waits;
    private boolean answered;
    private boolean reusable;
    private boolean skipping;
    private boolean upgraded;

    Line(Talk talk, Lines.@Nullable Shelf shelf) {
        this.talk = talk;
        this.shelf = shelf;
    }

    private static final HttpHeadersFactory HEADERS = new HttpHeadersFactory() {
        @Override
        public HttpHeaders newHeaders() {
            // looked at where they are copied
            return (HttpHeaders) MultiMap.caseInsensitiveMultiMap();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
            return newHeaders();
        }
    };

    private final class Decoder extends HttpResponseDecoder {
        Decoder() {
            super(new HttpDecoderConfig()
                    .setMaxInitialLineLength(HEADER_BYTES)
                    .setMaxHeaderSize(HEADER_BYTES)
                    .setMaxChunkSize(Integer.MAX_VALUE)
                    .setHeadersFactory(HEADERS));
        }

        /** Netty takes every protocol for HTTP that is written like it. */
        @Override
        protected String splitFirstWordInitialLine(byte[] line, int start, int length) {
            String version = super.splitFirstWordInitialLine(line, start, length);
            if (!version.equals("HTTP/1.1") && !version.equals("HTTP/1.0")) {
                throw new IllegalArgumentException("not an answer in HTTP/1");
            }
            return version;
        }

        /** And every number for a status: one below 100 would be waited on for ever. */
        @Override
        protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
            String status = super.splitSecondWordInitialLine(line, start, length);
            boolean known = length == 3 && status.charAt(0) >= '1' && status.charAt(0) <= '5';
            if (!known || !status.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
                throw new IllegalArgumentException("not a status");
            }
            return status;
        }

        /** Of an answer to HEAD there is nothing but the head. */
        @Override
        protected boolean isContentAlwaysEmpty(HttpMessage message) {
            return headOnly || super.isContentAlwaysEmpty(message);
        }

        boolean hasMore() {
            return actualReadableBytes() > 0;
        }

        /** What comes while nobody has asked would be taken for the answer to the next question. */
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
            if (talk == null) {
                ReferenceCountUtil.release(bytes);
                var unused = context.close();
            } else {
                heard = true;
                super.channelRead(context, bytes);
            }
        }
    }

    void attach(Channel fresh) {
        channel = fresh;
        fresh.pipeline().addLast("decoder", decoder).addLast("line", this);
    }

    public Channel channel() {
        Channel there = channel;
        if (there == null) {
            throw new IllegalStateException("not connected");
        }
        return there;
    }

    /** Who talked on it at last. */
    @Nullable
    Object origin() {
        return origin;
    }

    /** Since when it rests. */
    long since() {
        return since;
    }

    void begin() {
        Talk first = talk;
        if (first == null || !first.isWanted()) {
            close();
        } else {
            first.connected(this);
        }
    }

    void take(Talk next) {
        talk = next;
        used = true;
        next.connected(this);
    }

    /** Whether it was closed while it rested, without our knowing yet: others have talked on it, and now the app said nothing at all. */
    public boolean isStale(Throwable cause) {
        return used && !heard && !(cause instanceof TimeoutException);
    }

    /** Begins to ask. What follows is the body, until {@link #sent}. */
    public void ask(ByteBuf head, boolean onlyHead, boolean whole) {
        headOnly = onlyHead;
        answered = false;
        heard = false;
        interim = 0;
        asked = whole;
        reusable = false;
        expect(whole);
        var unused = channel().writeAndFlush(head, channel().voidPromise());
    }

    /** Some of the body, as it travels. */
    public void send(ByteBuf bytes) {
        var unused = channel().writeAndFlush(bytes, channel().voidPromise());
    }

    /** The app has all of the question. */
    public void sent() {
        asked = true;
        expect(!answered);
    }

    private void expect(boolean answer) {
        waits = answer;
        since = System.nanoTime();
    }

    boolean isLate(long now) {
        return waits && now - since > ANSWER_NANOS;
    }

    void giveUp() {
        failed(new TimeoutException());
    }

    public boolean isWritable() {
        return channel().isWritable();
    }

    public void pause() {
        channel().config().setAutoRead(false);
    }

    public void resume() {
        channel().config().setAutoRead(true);
    }

    /** The talk is over for whoever had it; half of an answer must not be another's. */
    public void close() {
        talk = null;
        waits = false;
        Channel there = channel;
        if (there != null) {
            var unused = there.close();
        }
    }

    void failed(Throwable cause) {
        Talk told = talk;
        close();
        if (told != null) {
            told.broken(cause);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Talk told = talk;
        if (upgraded && message instanceof ByteBuf bytes) {
            early.add(bytes);
        } else if (told == null) {
            // nobody asked
            ReferenceCountUtil.release(message);
            var unused = context.close();
        } else if (message instanceof HttpResponse head) {
            head(told, head);
        } else if (message instanceof HttpContent content) {
            content(told, content);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void head(Talk told, HttpResponse head) {
        if (head.decoderResult().isFailure()) {
            ReferenceCountUtil.release(head);
            failed(head.decoderResult().cause());
            return;
        }
        int status = head.status().code();
        skipping = status < 200 && status != SWITCHING;
        if (skipping) {
            interim++;
            if (interim > INTERIM) {
                failed(new IOException("the app says that it will answer, and does not"));
            }
            return;
        }
        if (status == SWITCHING && shelf != null) {
            failed(new IOException("the app switches to a protocol that nobody asked for"));
            return;
        }
        answered = true;
        waits = false;
        reusable = HttpUtil.isKeepAlive(head) && status != SWITCHING;
        upgraded = status == SWITCHING;
        if (upgraded) {
            pause();
            channel().pipeline().remove(decoder);
        }
        told.answered(head);
    }

    private void content(Talk told, HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (content.decoderResult().isFailure()) {
            content.release();
            failed(content.decoderResult().cause());
        } else if (skipping || upgraded) {
            skipping &= !last;
            content.release();
        } else {
            if (content.content().isReadable()) {
                told.heard(content.content());
            } else {
                content.release();
            }
            if (last && talk != null) {
                over(told);
            }
        }
    }

    private void over(Talk told) {
        talk = null;
        origin = told.origin();
        if (asked && reusable && shelf != null && !decoder.hasMore()) {
            channel().config().setAutoRead(true);
            since = System.nanoTime();
            told.ended();
            shelf.rest(this);
        } else {
            told.ended();
            close();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        Talk told = talk;
        if (told != null) {
            told.quiet();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        Talk told = talk;
        if (told != null && context.channel().isWritable()) {
            told.drained();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failed(new IOException("the app closed the connection"));
        early.forEach(ByteBuf::release);
        early.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failed(cause);
    }

    /** From now on bytes go by as they are, both ways, until one of the two closes. */
    public void join(Channel near) {
        talk = null;
        Relay.join(near, channel(), early);
        early.clear();
    }
}
