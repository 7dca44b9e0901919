package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.List;

/** One side of a tunnel: what it reads goes to the other side, and if that is slow, it reads no more. */
final class Relay extends ChannelInboundHandlerAdapter {
    private final Channel other;

    private Relay(Channel other) {
        this.other = other;
    }

    /** @param early what the app has said already */
    static void join(Channel near, Channel far, List<ByteBuf> early) {
        // in front of what watches over the browser's connection, which is told when it closes
        near.pipeline().addBefore("handler", "relay", new Relay(far));
        far.pipeline().replace("line", "relay", new Relay(near));
        for (ByteBuf bytes : early) {
            var unused = near.write(bytes, near.voidPromise());
        }
        near.flush();
        near.config().setAutoRead(true);
        far.config().setAutoRead(near.isWritable());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf)) {
            ReferenceCountUtil.release(message);
            return;
        }
        var unused = other.write(message, other.voidPromise());
        if (!other.isWritable()) {
            other.flush();
            context.channel().config().setAutoRead(other.isWritable());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        other.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (context.channel().isWritable()) {
            other.config().setAutoRead(true);
        }
        context.fireChannelWritabilityChanged();
    }

    /** What it said before it closed still arrives. */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        var unused = other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }
}
