package io.sluice.engines.docker.exec;

import com.github.dockerjava.api.exception.DockerException;
import io.sluice.engines.Command;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.wire.Conversation;
import io.sluice.engines.docker.wire.Daemon;
import io.sluice.engines.pipes.PipeReader;
import io.sluice.engines.pipes.PipeWriter;
import io.sluice.engines.pipes.Program;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A program inside of a container. */
final class Running extends Program {

    private static final System.Logger LOG = System.getLogger(Running.class.getName());
    private static final int PIECE = 16 * 1024;
    private static final int ERRORS = 2;
    private static final int LONGEST_NUMBER = 12;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 20;

    private final Daemon daemon;
    private final String container;
    private final String id;
    private final Conversation conversation;
    private final boolean terminal;

    /** What came first, until it is known to be the number, or not. */
    private final StringBuilder first = new StringBuilder();

    private boolean introduced;
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile @Nullable String number;

    Running(Daemon daemon, String container, String id, Conversation conversation, boolean terminal, Context context) {
        super(
                new PipeReader(context),
                new PipeReader(context),
                new PipeWriter("sluice-exec-in", conversation.out(), context),
                terminal,
                context);
        this.daemon = daemon;
        this.container = container;
        this.id = id;
        this.conversation = conversation;
        this.terminal = terminal;
    }

    /**
     * Comes back when the program has begun, and so can be ended.
     *
     * @param gone is told when the program has ended
     */
    void begin(Runnable gone) throws InterruptedException {
        Thread.ofVirtual().name("sluice-exec").start(() -> {
            var socket = conversation.socket();
            try (socket) {
                read(conversation.in());
            } catch (IOException | InterruptedException closed) {
                LOG.log(System.Logger.Level.DEBUG, "exec={0} closed=\"{1}\"", id, closed.getMessage());
            }
            begun.countDown();
            output().finish();
            errors().finish();
            try {
                int code = code();
                gone.run();
                over(code);
            } catch (RuntimeException | InterruptedException unknown) {
                gone.run();
                lost(unknown);
            }
        });
        if (!begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            LOG.log(System.Logger.Level.WARNING, "exec={0} begun=late", id);
        }
    }

    private void read(InputStream in) throws IOException, InterruptedException {
        if (terminal) {
            copy(in, Long.MAX_VALUE, output());
            return;
        }
        var frames = new DataInputStream(in);
        for (int stream = frames.read(); stream >= 0; stream = frames.read()) {
            frames.skipNBytes(3);
            copy(frames, Integer.toUnsignedLong(frames.readInt()), stream == ERRORS ? errors() : output());
        }
    }

    private void copy(InputStream in, long most, PipeReader into) throws IOException, InterruptedException {
        var piece = new byte[PIECE];
        for (long left = most; left > 0; ) {
            int count = in.read(piece, 0, (int) Math.min(PIECE, left));
            if (count < 0) {
                return;
            }
            left -= count;
            int from = into == output() && !introduced ? introduction(piece, count) : 0;
            if (from < count) {
                into.feed(Buffer.buffer().appendBytes(piece, from, count - from));
            }
        }
    }

    /** How much of it is the number. What is none, because there is no shell, is for the reader. */
    private int introduction(byte[] piece, int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            char next = (char) (piece[i] & 0xFF);
            if (next == '\n' && first.toString().strip().matches("\\d+")) {
                number = first.toString().strip();
                introduced = true;
                begun.countDown();
                return i + 1;
            }
            first.append(next);
            if (next == '\n' || first.length() > LONGEST_NUMBER) {
                introduced = true;
                begun.countDown();
                output().feed(Buffer.buffer(first.toString().getBytes(StandardCharsets.ISO_8859_1)));
                return i + 1;
            }
        }
        return count;
    }

    /** The end of the connection is told before the end of the program is known. */
    private int code() throws InterruptedException {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); ; Thread.sleep(PAUSE_MILLIS)) {
            var found = daemon.ask(
                    "exec-inspect",
                    Daemon.SHORT,
                    client -> client.inspectExecCmd(id).exec());
            Long code = found.getExitCodeLong();
            if (!Boolean.TRUE.equals(found.isRunning()) && code != null) {
                return code.intValue();
            }
            if (System.nanoTime() > end) {
                throw new Unavailable("The Docker engine has let go of a program that may still run.", null);
            }
        }
    }

    @Override
    protected Future<Void> fitted(Command.Screen screen) {
        return daemon.run(() -> {
            fit(screen);
            return null;
        });
    }

    void fit(Command.Screen screen) {
        daemon.ask(
                "exec-resize",
                Daemon.SHORT,
                client -> client.resizeExecCmd(id)
                        .withSize(screen.rows(), screen.columns())
                        .exec());
    }

    @Override
    public void end() {
        daemon.<Void>run(() -> {
                    try {
                        kill();
                    } finally {
                        conversation.socket().close();
                    }
                    return null;
                })
                .onFailure(left ->
                        LOG.log(System.Logger.Level.WARNING, "exec={0} ended=no cause=\"{1}\"", id, left.getMessage()));
    }

    private static long said(Conversation program) {
        try {
            return program.in().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** It and its group: it is the first of a session of its own. */
    private void kill() throws IOException {
        var known = number;
        if (known == null) {
            return;
        }
        try {
            var killer = daemon.ask(
                    "exec",
                    Daemon.SHORT,
                    client -> client.execCreateCmd(container)
                            .withCmd("sh", "-c", "kill -KILL -- \"-$1\" || kill -KILL \"$1\"", "sluice", known)
                            .withAttachStdout(true)
                            .withAttachStderr(true)
                            .exec()
                            .getId());
            var body = "{\"Detach\":false,\"Tty\":false}".getBytes(StandardCharsets.UTF_8);
            var killing = daemon.talk("exec-start", Daemon.SHORT, "/exec/" + killer + "/start", body);
            var socket = killing.socket();
            try (socket) {
                daemon.ask("exec-kill", Daemon.SHORT, client -> said(killing));
            }
        } catch (DockerException gone) {
            LOG.log(System.Logger.Level.DEBUG, "exec={0} gone=\"{1}\"", id, Daemon.said(gone));
        }
    }
}
