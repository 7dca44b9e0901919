package io.sluice.files.uploads;

import io.sluice.web.Problem;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends, on its way to the disk: one piece is written while the next one comes, and a third one has to wait on the line. All of
 * it runs on the connection's event loop but for what waits for the disk.
 */
public final class Receiving {
    private static final int PIECE = 512 << 10;

    /** Where one waits for disks. */
    public interface Worker {
        <T> Future<T> run(Callable<T> work);

        /** What goes on with something that was begun, or ends it, is never refused. */
        <T> Future<T> after(Callable<T> work);
    }

    private final ReadStream<Buffer> body;
    private final Taking to;
    private final Worker worker;
    private final @Nullable MessageDigest digest;
    /** The connection's: others that have a word ask it. */
    private final Context context;

    private final Promise<Void> over = Promise.promise();
    private byte[] coming = new byte[PIECE];
    private byte[] spare = new byte[PIECE];
    private int filled;
    private long left;
    private boolean writing;
    private boolean ended;
    private @Nullable Throwable fault;

    Receiving(Context context, ReadStream<Buffer> body, Taking to, Worker worker, @Nullable MessageDigest digest) {
        this.context = context;
        this.body = body;
        this.to = to;
        this.worker = worker;
        this.digest = digest;
        this.left = to.left();
    }

    /** Ends when all that came is written; what came before a line broke is kept. */
    Future<Void> receive() {
        body.handler(this::take);
        body.exceptionHandler(this::fail);
        body.endHandler(end -> {
            ended = true;
            proceed();
        });
        body.resume();
        return over.future();
    }

    /** Somebody else goes on with it, or nobody. */
    public void cut() {
        context.runOnContext(
                now -> fail(Problem.of(Problem.Kind.CONFLICT, "Another connection goes on with this upload.")));
    }

    private void fail(Throwable cause) {
        if (fault == null) {
            fault = cause;
            ended = true;
            proceed();
        }
    }

    private void take(Buffer piece) {
        if (fault != null) {
            return;
        }
        if (piece.length() > left) {
            fail(Problem.invalid("More came than the length of the file that was announced. Begin the upload anew."));
            return;
        }
        left -= piece.length();
        if (filled + piece.length() > coming.length) {
            // a piece of the line's own size more than fits is rare, and has no second chance to come
            coming = java.util.Arrays.copyOf(coming, filled + piece.length());
        }
        piece.getBytes(coming, filled);
        filled += piece.length();
        if (filled >= PIECE / 2) {
            proceed();
        }
        if (writing && filled >= PIECE / 2) {
            body.pause();
        }
    }

    private void proceed() {
        if (writing || over.future().isComplete()) {
            return;
        }
        if (filled == 0) {
            end();
            return;
        }
        writing = true;
        byte[] full = coming;
        int count = filled;
        coming = spare;
        filled = 0;
        worker.after(() -> {
                    to.write(ByteBuffer.wrap(full, 0, count));
                    if (digest != null) {
                        digest.update(full, 0, count);
                    }
                    return full;
                })
                .onFailure(failed -> {
                    writing = false;
                    filled = 0;
                    fail(failed);
                    proceed(); // it may have failed before, and waited for what was being written
                })
                .onSuccess(written -> {
                    writing = false;
                    spare = written;
                    if (filled >= PIECE / 2 || ended) {
                        proceed();
                    }
                    if (!ended) {
                        body.resume();
                    }
                });
    }

    private void end() {
        if (!ended) {
            return;
        }
        if (fault == null) {
            over.tryComplete();
        } else {
            over.tryFail(fault);
        }
    }
}
