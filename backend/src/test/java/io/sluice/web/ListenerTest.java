package io.sluice.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ListenerTest {
    /** Closes when nothing happens, as Vert.x does. */
    private static final class Closing extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof IdleStateEvent) {
                var unused = context.close();
            }
        }
    }

    private static EmbeddedChannel connection() {
        var channel = new EmbeddedChannel();
        channel.freezeTime();
        // in Vert.x's order
        channel.pipeline()
                .addLast("httpDecoder", new HttpRequestDecoder())
                .addLast("httpEncoder", new HttpResponseEncoder())
                .addLast("idle", new IdleStateHandler(0, 0, 75, TimeUnit.SECONDS))
                .addLast("handler", new Closing());
        Listener.patient(channel.pipeline(), 1_000);
        return channel;
    }

    private static void pass(EmbeddedChannel channel, long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void what_a_neighbour_writes_past_the_encoder_keeps_a_connection_open() {
        EmbeddedChannel channel = connection();
        for (int i = 0; i < 10; i++) {
            pass(channel, 700);
            var unused = channel.pipeline()
                    .context("httpEncoder")
                    .writeAndFlush(Unpooled.wrappedBuffer(new byte[] {'x'}), channel.voidPromise());
            channel.runPendingTasks();
        }
        assertThat(channel.isOpen()).isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void a_neighbours_connection_on_which_nothing_happens_ends() {
        EmbeddedChannel channel = connection();
        pass(channel, 700);
        Listener.patient(channel.pipeline(), 1_000);
        pass(channel, 400);
        assertThat(channel.isOpen()).isFalse();
    }
}
