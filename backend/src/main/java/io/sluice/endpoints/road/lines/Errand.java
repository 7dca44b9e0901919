package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** One question at a time that goes the short way, and its answer in the bytes in which it is sent. */
final class Errand implements Talk, Runnable {
    /** Goes into one buffer with its head: the network then has one piece of it. */
    private static final int SMALL = 8 << 10;

    private static final int NO_CONTENT = 204;
    private static final int RESET_CONTENT = 205;
    private static final int NOT_MODIFIED = 304;
    private static final byte[] CHUNKED = Question.ascii("transfer-encoding: chunked\r\n");
    private static final byte[] LAST_CHUNK = Question.ascii("0\r\n\r\n");

    private final Object origin;
    private final ChannelHandlerContext out;
    private final Guide guide;
    private final Shortcut owner;
    private final Text text = new Text();
    private final Runnable gone;

    private @Nullable HttpRequest request;
    private @Nullable Line line;
    private boolean answered;
    /** The answer's head is written, and waits for the first of the body. */
    private boolean held;

    private boolean chunked;
    private boolean silent;
    private boolean paused;
    private boolean wide;

    /**
     * @param origin the browser's connection
     * @param out where what is written is not looked at any more
     */
    Errand(Object origin, ChannelHandlerContext out, Guide guide, Shortcut owner) {
        this.origin = origin;
        this.out = out;
        this.guide = guide;
        this.owner = owner;
        this.gone = () -> out.channel().eventLoop().execute(this::leave);
    }

    boolean isGoing() {
        return request != null;
    }

    /** Whether it goes this way. */
    boolean goes(HttpRequest asked) {
        Lines app = guide.ask(asked, text.clear());
        if (app == null) {
            return false;
        }
        if (!wide) {
            wide = true;
            out.channel().config().setWriteBufferWaterMark(Mouth.HELD_BACK);
        }
        request = asked;
        answered = false;
        held = false;
        owner.gone();
        guide.begun(this, gone);
        app.lend(out.channel().eventLoop(), this, false);
        return true;
    }

    @Override
    public boolean isWanted() {
        return request != null;
    }

    @Override
    public Object origin() {
        return origin;
    }

    @Override
    public void connected(Line lent) {
        HttpRequest asked = request;
        if (asked == null) {
            lent.close();
            return;
        }
        line = lent;
        ByteBuf head = text.into(lent.channel().alloc().ioBuffer(text.length()));
        lent.ask(head, isHead(asked), true);
    }

    private static boolean isHead(HttpRequest asked) {
        return HttpMethod.HEAD.equals(asked.method());
    }

    @Override
    public void answered(HttpResponse head) {
        HttpRequest asked = request;
        if (asked == null) {
            return;
        }
        int status = head.status().code();
        boolean measured;
        try {
            measured = guide.answer(head, status, text.clear());
        } catch (IllegalArgumentException noHeader) {
            hangUp();
            back(noHeader);
            return;
        }
        answered = true;
        held = true;
        silent = status == RESET_CONTENT;
        chunked = !measured && !isHead(asked) && status != NO_CONTENT && status != NOT_MODIFIED;
        if (chunked) {
            text.add(CHUNKED);
        }
        text.end();
    }

    @Override
    public void heard(ByteBuf bytes) {
        if (request == null || silent) {
            bytes.release();
        } else if (held && !chunked && bytes.readableBytes() <= SMALL) {
            held = false;
            ByteBuf whole = out.alloc().ioBuffer(text.length() + bytes.readableBytes());
            write(text.into(whole).writeBytes(bytes));
            bytes.release();
        } else {
            sayHead();
            write(chunked ? Question.chunk(bytes) : bytes);
            if (!out.channel().isWritable()) {
                holdBack();
            }
        }
    }

    private void sayHead() {
        if (held) {
            held = false;
            write(text.into(out.alloc().ioBuffer(text.length())));
        }
    }

    private void write(ByteBuf bytes) {
        var unused = out.write(bytes, out.channel().voidPromise());
    }

    /** Who reads slowly stops the app. */
    private void holdBack() {
        Line from = line;
        if (from != null) {
            paused = true;
            from.pause();
            out.flush();
        }
    }

    /** The browser has read something. */
    void roomAgain() {
        if (paused) {
            paused = false;
            if (line != null) {
                line.resume();
            }
        }
    }

    @Override
    public void quiet() {
        if (request != null && answered) {
            sayHead();
            out.flush();
        }
    }

    @Override
    public void ended() {
        if (request != null) {
            line = null;
            sayHead();
            if (chunked) {
                write(Unpooled.wrappedBuffer(LAST_CHUNK));
            }
            out.flush();
            finish();
            owner.goOn();
        }
    }

    @Override
    public void drained() {}

    @Override
    public void broken(Throwable cause) {
        Line had = line;
        line = null;
        if (request != null) {
            if (answered) {
                cut();
            } else {
                boolean stale = had != null && had.isStale(cause);
                back(stale ? new Lines.Stale() : cause);
            }
        }
    }

    /** The long way knows what to say. */
    private void back(Throwable trouble) {
        HttpRequest asked = request;
        if (asked != null) {
            finish();
            owner.back(asked, trouble);
        }
    }

    /** The pass is gone. */
    @Override
    public void run() {
        out.channel().eventLoop().execute(this::cut);
    }

    /** The app is gone: the long way says why, unless half of an answer was heard. */
    private void leave() {
        if (answered) {
            cut();
        } else {
            hangUp();
            back(Lines.gone());
        }
    }

    /** Half an answer must not look like a whole one. */
    void cut() {
        if (request != null) {
            hangUp();
            finish();
            var unused = out.channel().close();
        }
    }

    private void hangUp() {
        Line had = line;
        line = null;
        if (had != null) {
            had.close();
        }
    }

    private void finish() {
        request = null;
        paused = false;
        guide.over(this, gone);
    }
}
