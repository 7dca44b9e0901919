package io.sluice.engines.pipes;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A pipe that is written on a thread of its own. It says when it is full; who goes on all the same is refused at the limit. */
public final class PipeWriter implements WriteStream<Buffer> {

    private static final int FULL = 64 * 1024;
    private static final int MOST = 16 * FULL;

    private record Piece(Buffer bytes, Promise<Void> written, boolean last) {}

    private final OutputStream pipe;
    private final Listener listener;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private int waiting;
    private int full = FULL;
    private boolean closed;
    private @Nullable Handler<Void> drainHandler;

    public PipeWriter(String name, OutputStream pipe, Context context) {
        this.pipe = pipe;
        this.listener = new Listener(context);
        Thread.ofPlatform().daemon().name(name).start(this::write);
    }

    private void write() {
        try {
            for (boolean last = false; !last; ) {
                var piece = pieces.take();
                last = piece.last();
                write(piece);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Piece piece) {
        @Nullable IOException failure = null;
        try {
            if (piece.last()) {
                pipe.close();
            } else {
                pipe.write(piece.bytes().getBytes());
                pipe.flush();
            }
        } catch (IOException gone) {
            failure = gone;
        }
        var fault = failure;
        listener.tell(() -> {
            written(piece.bytes().length());
            if (fault == null) {
                piece.written().complete();
            } else {
                piece.written().fail(fault);
            }
        });
    }

    private void written(int count) {
        @Nullable Handler<Void> drained;
        synchronized (this) {
            boolean wasFull = waiting >= full;
            waiting -= count;
            drained = wasFull && waiting < full ? drainHandler : null;
        }
        if (drained != null) {
            drained.handle(null);
        }
    }

    @Override
    public Future<Void> write(Buffer bytes) {
        return put(bytes, false);
    }

    @Override
    public Future<Void> end() {
        return put(Buffer.buffer(), true);
    }

    private synchronized Future<Void> put(Buffer bytes, boolean last) {
        if (closed) {
            return last ? Future.succeededFuture() : Future.failedFuture(new IOException("its input is closed"));
        }
        if (waiting + bytes.length() > MOST && waiting > 0) {
            return Future.failedFuture(new IOException("the program does not read what it is sent"));
        }
        closed = last;
        waiting += bytes.length();
        Promise<Void> written = Promise.promise();
        pieces.add(new Piece(bytes, written, last));
        return written.future();
    }

    @Override
    public PipeWriter exceptionHandler(@Nullable Handler<Throwable> handler) {
        return this;
    }

    @Override
    public synchronized PipeWriter setWriteQueueMaxSize(int size) {
        full = Math.min(size, MOST);
        return this;
    }

    @Override
    public synchronized boolean writeQueueFull() {
        return waiting >= full;
    }

    @Override
    public synchronized PipeWriter drainHandler(@Nullable Handler<Void> handler) {
        drainHandler = handler;
        return this;
    }
}
