package io.sluice.engines.pipes;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** What a program prints, a few pieces ahead of whoever hears them and no more: who feeds it waits. */
public final class PipeReader implements ReadStream<Buffer> {

    private static final int PIECE = 16 * 1024;
    private static final int AHEAD = 4;

    private final Listener listener;
    private final Semaphore room = new Semaphore(AHEAD);
    private final Deque<Buffer> pending = new ArrayDeque<>();
    private long wanted;
    private boolean over;
    private boolean told;
    private @Nullable Handler<Buffer> handler;
    private @Nullable Handler<Void> endHandler;

    public PipeReader(Context context) {
        this.listener = new Listener(context);
    }

    /** A pipe that is read on a thread of its own. */
    public static PipeReader of(String name, InputStream pipe, Context context) {
        var reader = new PipeReader(context);
        Thread.ofPlatform().daemon().name(name).start(() -> reader.read(pipe));
        return reader;
    }

    private void read(InputStream pipe) {
        try (pipe) {
            var piece = new byte[PIECE];
            for (int count = pipe.read(piece); count >= 0; count = pipe.read(piece)) {
                feed(Buffer.buffer().appendBytes(piece, 0, count));
            }
        } catch (IOException | InterruptedException closed) {
            // the program is gone, or was ended: what follows is the end either way
        }
        finish();
    }

    /**
     * Waits while there is no room.
     *
     * @throws InterruptedException also when the gateway has stopped meanwhile
     */
    public void feed(Buffer piece) throws InterruptedException {
        room.acquire();
        if (!listener.tell(() -> arrived(piece))) {
            throw new InterruptedException("nobody hears what it prints any more");
        }
    }

    /** Nothing more comes. */
    public void finish() {
        listener.tell(this::ended);
    }

    private synchronized void arrived(Buffer piece) {
        pending.add(piece);
        tell();
    }

    private synchronized void ended() {
        over = true;
        tell();
    }

    private synchronized void tell() {
        while (wanted > 0 && !pending.isEmpty()) {
            var piece = pending.remove();
            room.release();
            if (wanted != Long.MAX_VALUE) {
                wanted--;
            }
            if (handler != null) {
                handler.handle(piece);
            }
        }
        if (over && !told && pending.isEmpty() && wanted > 0) {
            told = true;
            if (endHandler != null) {
                endHandler.handle(null);
            }
        }
    }

    @Override
    public synchronized PipeReader handler(@Nullable Handler<Buffer> handler) {
        this.handler = handler;
        return this;
    }

    @Override
    public synchronized PipeReader endHandler(@Nullable Handler<Void> endHandler) {
        this.endHandler = endHandler;
        return this;
    }

    @Override
    public PipeReader exceptionHandler(@Nullable Handler<Throwable> handler) {
        return this;
    }

    @Override
    public synchronized PipeReader pause() {
        wanted = 0;
        return this;
    }

    @Override
    public PipeReader resume() {
        return fetch(Long.MAX_VALUE);
    }

    @Override
    public PipeReader fetch(long amount) {
        synchronized (this) {
            wanted = amount > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + amount;
        }
        listener.tell(this::tell);
        return this;
    }
}
