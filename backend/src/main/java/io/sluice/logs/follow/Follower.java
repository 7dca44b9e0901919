package io.sluice.logs.follow;

import io.netty.buffer.ByteBuf;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Reader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who reads a log as it grows. In step with the tail they get what it has just read; otherwise they read from the file themselves, one
 * piece at a time, and only when they have room. All of it happens on one event loop, but the reading.
 */
abstract class Follower {
    private static final int PIECE = 32 << 10;
    private static final int LAST_SCREEN = 64 << 10;

    private final Tail tail;
    private final long jump;
    private long position;
    private boolean reading;
    private boolean over;
    private Tail.@Nullable Group group;

    /** @param jump how far behind is too far, in bytes; 0: never */
    Follower(Tail tail, long position, long jump) {
        this.tail = tail;
        this.position = position;
        this.jump = jump;
    }

    abstract boolean hasRoom();

    /** Takes the buffer. */
    abstract void send(ByteBuf buffer);

    abstract void tell(Gaps.Gap gap);

    abstract void tellSkipped(long from, long to);

    abstract void tellTime(ByteBuf frame);

    abstract void end(long size, @Nullable Integer exitCode);

    abstract void fail(String reason);

    abstract Wire.Piece read(Reader log, long from, int length) throws IOException;

    /** Whether what the tail reads can be sent as it is. */
    abstract boolean takesFrames();

    long position() {
        return position;
    }

    Tail tail() {
        return tail;
    }

    boolean isOver() {
        return over;
    }

    void enter(Tail.Group group) {
        this.group = group;
    }

    /** Leaves. What is being read will be thrown away. */
    void leave() {
        over = true;
        Tail.Group joined = group;
        if (joined != null) {
            tail.leave(this, joined);
        }
    }

    void grown(long from, long to, @Nullable ByteBuf frames) {
        if (!over && !reading && position == from && frames != null && takesFrames() && hasRoom()) {
            position = to;
            send(frames.retainedDuplicate());
            tail.metrics().inStep(to - from);
        } else {
            proceed();
        }
    }

    void time(ByteBuf frame, long offset) {
        if (!over && position >= offset && hasRoom()) {
            tellTime(frame);
        }
    }

    /** Reads on, if there is something to read and room for it. */
    void proceed() {
        Tail.Group joined = group;
        if (over || reading || joined == null || !hasRoom()) {
            return;
        }
        long behind = joined.position() - position;
        if (behind <= 0) {
            Tail.End end = joined.end();
            if (end != null) {
                end(end.size(), end.exitCode());
                leave();
            }
            return;
        }
        reading = true;
        if (jump > 0 && behind > jump) {
            jump(joined.position());
        } else {
            catchUp((int) Math.min(PIECE, behind));
        }
    }

    private void catchUp(int length) {
        long from = position;
        tail.metrics().catchUps().inc();
        tail.read(
                () -> read(tail.reader(), from, length),
                piece -> {
                    if (over) {
                        release(piece);
                        return;
                    }
                    switch (piece) {
                        case Wire.Piece.Data data -> {
                            position = data.to();
                            send(data.buffer());
                        }
                        case Wire.Piece.Hole hole -> {
                            position = hole.gap().to();
                            tell(hole.gap());
                        }
                    }
                    if (position > from) {
                        readOn();
                    } else {
                        shorter();
                    }
                },
                this::broken);
    }

    /** Its task has emptied it: it goes on with what comes next, once there is such a thing. */
    private void shorter() {
        reading = false;
        Tail.Group joined = group;
        if (joined == null || joined.end() != null) {
            broken("The log has become shorter than it was.");
        }
    }

    private void jump(long end) {
        long from = position;
        tail.read(
                () -> lastScreen(end),
                to -> {
                    if (!over) {
                        position = Math.max(from, to);
                        tail.metrics().skipped(position - from);
                        tellSkipped(from, position);
                    }
                    readOn();
                },
                this::broken);
    }

    /** Where the last lines begin: behind a newline, if there is one. */
    private long lastScreen(long end) throws IOException {
        long begin = Math.max(0, end - LAST_SCREEN);
        byte[] screen = new byte[LAST_SCREEN];
        int count = tail.reader().bytes().fill(begin, screen, (int) (end - begin));
        for (int at = 0; at < count / 2; at++) {
            if (screen[at] == '\n') {
                return begin + at + 1;
            }
        }
        return begin;
    }

    private void readOn() {
        reading = false;
        proceed();
    }

    private void broken(String reason) {
        if (!over) {
            fail(reason);
            leave();
        }
    }

    private static void release(Wire.Piece piece) {
        if (piece instanceof Wire.Piece.Data data) {
            data.buffer().release();
        }
    }
}
