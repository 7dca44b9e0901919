package io.sluice.logs.follow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Reader;
import io.vertx.core.http.ServerWebSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A viewer over a WebSocket. Its frames are written past the socket, as bytes that were made once; the socket hears, pings and closes. */
final class SocketFollower extends Follower {
    static final short BROKEN = 1011;
    private static final short DONE = 1000;
    private static final short NOT_UNDERSTOOD = 1003;
    private static final short PAST_THE_END = 4416;
    private static final String DRAIN = "log-drain";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final System.Logger LOG = System.getLogger(SocketFollower.class.getName());

    private final ServerWebSocket socket;
    private final Channel channel;
    private final long window;
    private long dealtWith;
    private boolean greeted;
    /** Told before the greeting, which tells of all that was known then. */
    private final List<Gaps.Gap> early = new ArrayList<>();

    /** Past everything that would look at each frame once more. */
    private @Nullable ChannelHandlerContext way;

    SocketFollower(Tail tail, long offset, Pace pace, ServerWebSocket socket, Channel channel) {
        super(tail, offset, pace.jump());
        this.socket = socket;
        this.window = pace.window();
        this.dealtWith = offset;
        this.channel = channel;
    }

    /** Says hello before anything else, and listens. */
    void greet() {
        tail().metrics().followers("socket").inc();
        socket.closeHandler(closed -> {
            tail().metrics().followers("socket").dec();
            leave();
        });
        socket.textMessageHandler(this::hear);
        socket.binaryMessageHandler(message -> notUnderstood());
        attach();
        socket.resume();
        tail().read(() -> new State(tail().reader().size(), tail().reader().gaps()), this::hello, reason -> {
            fail(reason);
            leave();
        });
    }

    private record State(long size, List<Gaps.Gap> gaps) {}

    /** Behind the encryption, where there is any, and before all that knows of HTTP and WebSockets. */
    private void attach() {
        var pipeline = channel.pipeline();
        ChannelHandlerContext encryption = pipeline.context(SslHandler.class);
        if (encryption == null) {
            pipeline.addFirst(DRAIN, new Drain());
        } else {
            pipeline.addAfter(encryption.name(), DRAIN, new Drain());
        }
        way = pipeline.context(DRAIN);
    }

    private void hello(State state) {
        if (isOver()) {
            return;
        }
        if (position() > state.size()) {
            close(PAST_THE_END, "the log has " + state.size() + " bytes");
            leave();
            return;
        }
        Map<String, @Nullable Object> hello = new LinkedHashMap<>();
        hello.put("type", "hello");
        hello.put("offset", position());
        hello.put("size", state.size());
        hello.put("state", tail().isComplete() ? "ended" : "running");
        hello.put("exitCode", tail().exitCode());
        hello.put("gaps", state.gaps());
        hello.put("limit", Wire.MOST);
        send(Wire.text(hello));
        greeted = true;
        early.stream().filter(gap -> !state.gaps().contains(gap)).forEach(this::tell);
        early.clear();
        proceed();
    }

    private void hear(String message) {
        try {
            JsonNode read = JSON.readTree(message);
            if (read.path("type").asText().equals("read") && read.path("offset").isIntegralNumber()) {
                dealtWith = Math.max(
                        dealtWith, Math.min(position(), read.path("offset").asLong()));
                proceed();
                return;
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "event=log-message-not-understood cause={0}", e.getMessage());
        }
        notUnderstood();
    }

    private void notUnderstood() {
        if (!isOver()) {
            leave();
            close(NOT_UNDERSTOOD, "a viewer sends nothing but {\"type\":\"read\",\"offset\":N}");
        }
    }

    @Override
    boolean hasRoom() {
        return greeted && channel.isWritable() && (window == 0 || position() - dealtWith < window);
    }

    @Override
    boolean takesFrames() {
        return true;
    }

    @Override
    void send(ByteBuf frames) {
        ChannelHandlerContext out = way;
        if (out == null || out.writeAndFlush(frames).cause() != null) {
            leave(); // it is closed, and its close handler will hear
        }
    }

    @Override
    Wire.Piece read(Reader log, long from, int length) throws IOException {
        return Wire.frames(log, from, length);
    }

    @Override
    void tell(Gaps.Gap gap) {
        if (!greeted) {
            early.add(gap);
            return;
        }
        var message = new LinkedHashMap<String, @Nullable Object>();
        message.put("type", "gap");
        message.put("from", gap.from());
        message.put("to", gap.to());
        message.put("reason", gap.reason());
        message.put("at", gap.at());
        message.put("until", gap.until());
        send(Wire.text(message));
    }

    @Override
    void tellSkipped(long from, long to) {
        // what was skipped needs no reading
        dealtWith = Math.max(dealtWith, to);
        send(Wire.text(Map.of("type", "skipped", "from", from, "to", to)));
    }

    @Override
    void tellTime(ByteBuf frame) {
        send(frame.retainedDuplicate());
    }

    @Override
    void end(long size, @Nullable Integer exitCode) {
        var message = new LinkedHashMap<String, @Nullable Object>();
        message.put("type", "end");
        message.put("size", size);
        message.put("exitCode", exitCode);
        send(Wire.text(message));
        close(DONE, "end");
    }

    @Override
    void fail(String reason) {
        close(BROKEN, reason);
    }

    private void close(short code, String reason) {
        socket.close(code, reason)
                .onFailure(gone ->
                        LOG.log(System.Logger.Level.DEBUG, "event=viewer-gone cause={0}", String.valueOf(gone)));
    }

    /** Sees what others write to the socket, pings and the word of parting, and tells when a full socket has room again. */
    private final class Drain extends ChannelDuplexHandler {
        private static final int OPCODE = 0x0F;
        private static final int CLOSE = 0x08;

        /** Whoever closes the socket, after the word of parting nothing may be sent: a browser would forget its reason. */
        @Override
        public void write(ChannelHandlerContext context, Object frame, ChannelPromise written) throws Exception {
            if (frame instanceof ByteBuf bytes
                    && bytes.isReadable()
                    && (bytes.getByte(bytes.readerIndex()) & OPCODE) == CLOSE) {
                leave();
            }
            super.write(context, frame, written);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                proceed();
            }
            context.fireChannelWritabilityChanged();
        }
    }
}
