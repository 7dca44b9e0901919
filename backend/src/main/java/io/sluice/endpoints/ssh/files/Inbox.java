package io.sluice.endpoints.ssh.files;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.EOFException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** What a client sends, for one thread that waits for it. Holds what the client's window lets it send, and no more. */
final class Inbox implements Taker {
    /** @param last there is nothing in it, and nothing comes after it */
    private record Piece(Buffer bytes, Promise<Void> taken, boolean last) {}

    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private @Nullable Piece now;
    private int at;
    private boolean over;

    @Override
    public Future<Void> take(Buffer bytes) {
        Promise<Void> taken = Promise.promise();
        pieces.add(new Piece(bytes, taken, false));
        return taken.future();
    }

    @Override
    public void end() {
        pieces.add(new Piece(Buffer.buffer(), Promise.promise(), true));
    }

    /** False: nothing more comes. */
    private boolean hasMore() throws InterruptedException {
        while (!over && (now == null || at == now.bytes().length())) {
            if (now != null) {
                now.taken().complete();
            }
            Piece next = pieces.take();
            now = next;
            at = 0;
            over = next.last();
        }
        return !over;
    }

    /** -1: nothing more comes. */
    int read() throws InterruptedException {
        Piece piece = hasMore() ? now : null;
        return piece == null ? -1 : piece.bytes().getByte(at++) & 0xFF;
    }

    byte[] read(int count) throws InterruptedException, EOFException {
        var bytes = new byte[count];
        for (int have = 0; have < count; ) {
            Piece piece = hasMore() ? now : null;
            if (piece == null) {
                throw new EOFException("the client has gone in the middle of a message");
            }
            int part = Math.min(count - have, piece.bytes().length() - at);
            piece.bytes().getBytes(at, at + part, bytes, have);
            at += part;
            have += part;
        }
        return bytes;
    }
}
