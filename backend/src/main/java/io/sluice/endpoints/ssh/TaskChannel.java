package io.sluice.endpoints.ssh;

import io.sluice.endpoints.ssh.files.Taker;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.sshd.common.SshConstants;
import org.apache.sshd.common.channel.ChannelAsyncOutputStream;
import org.apache.sshd.server.channel.AbstractServerChannel;
import org.jspecify.annotations.Nullable;

/**
 * Something that is open between a client and a task. Either side is heard no faster than the other takes it: what the client sends
 * counts against its window until it has been taken, and what comes from the task is asked for piece by piece.
 */
abstract class TaskChannel extends AbstractServerChannel {
    private static final System.Logger LOG = System.getLogger(TaskChannel.class.getName());

    /** What it is for. */
    enum Kind {
        SHELL,
        COMMAND,
        FILES,
        PORT,
        SOCKET,
        /** The program that leads to a port which listens for the task alone. */
        LOOPBACK;

        /** Those that are always a program beside the task's own. */
        boolean isProgram() {
            return this != PORT;
        }

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private final Connection connection;
    private final SshMetrics metrics;
    /** What came before there was somebody to take it; no more than the window. */
    private final Deque<Buffer> early = new ArrayDeque<>();

    private boolean ended;
    private boolean gone;
    private @Nullable Taker taker;
    private @Nullable ChannelAsyncOutputStream output;
    private @Nullable ChannelAsyncOutputStream errors;

    TaskChannel(Connection connection, SshMetrics metrics) {
        super("", List.of(), null);
        this.connection = connection;
        this.metrics = metrics;
        connection.channels().add(this);
        addCloseFutureListener(closed -> {
            connection.channels().remove(this);
            onContext(this::leave);
        });
    }

    final Connection connection() {
        return connection;
    }

    final void onContext(Runnable what) {
        connection.context().runOnContext(now -> what.run());
    }

    private void leave() {
        gone = true;
        early.clear();
        left();
    }

    /** The client, or the connection, is gone: nothing is to be left of what was open. */
    abstract void left();

    final boolean isGone() {
        return gone;
    }

    /** At once, without a word. */
    final void cut() {
        close(true);
    }

    @Override
    protected void doWriteData(byte[] data, int from, long length) {
        connection.touch();
        metrics.bytes.labels("in").inc((double) length);
        var piece = Buffer.buffer((int) length).appendBytes(data, from, (int) length);
        onContext(() -> arrived(piece));
    }

    @Override
    protected void doWriteExtendedData(byte[] data, int from, long length) throws IOException {
        throw new IOException("nothing is sent to the errors of a program");
    }

    @Override
    public void handleEof() throws IOException {
        super.handleEof();
        onContext(() -> {
            ended = true;
            Taker now = taker;
            if (now != null) {
                now.end();
            }
        });
    }

    @Override
    public void handleWindowAdjust(org.apache.sshd.common.util.buffer.Buffer buffer) throws IOException {
        super.handleWindowAdjust(buffer);
        for (ChannelAsyncOutputStream stream : new @Nullable ChannelAsyncOutputStream[] {output, errors}) {
            if (stream != null) {
                stream.onWindowExpanded();
            }
        }
    }

    private void arrived(Buffer piece) {
        Taker now = taker;
        if (now == null) {
            early.add(piece);
        } else if (!gone) {
            take(now, piece);
        }
    }

    /** Whatever became of it, it is not kept here any more. */
    private void take(Taker by, Buffer piece) {
        by.take(piece).onComplete(taken -> {
            try {
                if (!isClosing()) {
                    getLocalWindow().release(piece.length());
                }
            } catch (IOException closed) {
                note(closed);
            }
        });
    }

    /** From now on what the client sends goes there. */
    final void taker(Taker fresh) {
        taker = fresh;
        early.forEach(piece -> take(fresh, piece));
        early.clear();
        if (ended) {
            fresh.end();
        }
    }

    /** Once the channel is there, and its window known. */
    final void openOutput() {
        output = stream(SshConstants.SSH_MSG_CHANNEL_DATA);
        errors = stream(SshConstants.SSH_MSG_CHANNEL_EXTENDED_DATA);
    }

    private ChannelAsyncOutputStream stream(byte kind) {
        return new ChannelAsyncOutputStream(this, kind);
    }

    final Future<Void> tell(Buffer piece) {
        return write(output, piece);
    }

    final Future<Void> complain(Buffer piece) {
        return write(errors, piece);
    }

    private Future<Void> write(@Nullable ChannelAsyncOutputStream stream, Buffer piece) {
        if (stream == null || isClosing()) {
            return Future.failedFuture(new IOException("it is closed"));
        }
        Promise<Void> written = Promise.promise();
        try {
            connection.touch();
            metrics.bytes.labels("out").inc(piece.length());
            stream.writeBuffer(new org.apache.sshd.common.util.buffer.ByteArrayBuffer(piece.getBytes()))
                    .addListener(done -> {
                        if (done.isWritten()) {
                            written.tryComplete();
                        } else {
                            written.tryFail(
                                    done.getException() == null ? new IOException("not written") : done.getException());
                        }
                    });
        } catch (IOException | RuntimeException closed) {
            written.tryFail(closed);
        }
        return written.future();
    }

    /** All that a program says, a piece at a time; the answer comes after its last piece. */
    final Future<Void> pass(ReadStream<Buffer> from, boolean asErrors) {
        Promise<Void> over = Promise.promise();
        from.endHandler(end -> over.tryComplete());
        from.handler(piece -> (asErrors ? complain(piece) : tell(piece))
                .onComplete(
                        told -> onContext(() -> from.fetch(1)),
                        lost -> onContext(() -> {
                            note(lost);
                            // nobody hears it any more, but who speaks must not be held for that
                            from.handler(unheard -> {});
                            from.resume();
                        })));
        from.fetch(1);
        return over.future();
    }

    /** No more comes from the task, and the client is told so. */
    final void finish(@Nullable Integer code) {
        try {
            if (!isClosing()) {
                sendEof();
                if (code != null) {
                    sendExitStatus(code);
                }
            }
        } catch (IOException closed) {
            note(closed);
        }
        close(false);
    }

    @Override
    protected boolean mayWrite() {
        return !isClosed();
    }

    private static void note(Throwable closed) {
        LOG.log(System.Logger.Level.DEBUG, "ssh=channel-closed cause=\"{0}\"", String.valueOf(closed.getMessage()));
    }
}
