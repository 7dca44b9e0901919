package io.sluice.files.sending;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.files.tree.Found;
import io.sluice.files.tree.OpenFile;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A part of the file that was promised, and of no other that has its name by now. */
public final class Part implements Sending.Source {
    private final OpenFile file;
    private final long to;
    private final Pieces pieces;
    private long at;

    /** The file is closed with it, or if it is another one by now. */
    public Part(OpenFile file, Found promised, long from, long to, Pieces pieces) throws IOException {
        this.file = file;
        this.at = from;
        this.to = to;
        this.pieces = pieces;
        if (file.found().number() != promised.number() || file.found().size() < to) {
            file.close();
            throw new IOException("the file has changed");
        }
    }

    @Override
    public Sending.@Nullable Piece next() throws IOException {
        if (at >= to) {
            return null;
        }
        int size = pieces.take(to - at);
        try {
            return read(size);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            pieces.give(size);
            throw e;
        }
    }

    private Sending.Piece read(int size) throws IOException {
        // the kernel's own kind of memory: what is read there goes to the line without a copy
        ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(size, size);
        try {
            fill(piece, size);
        } catch (IOException | RuntimeException e) {
            piece.release();
            throw e;
        }
        return new Sending.Piece(BufferInternal.buffer(piece), () -> {
            piece.release();
            pieces.give(size);
        });
    }

    private void fill(ByteBuf piece, int size) throws IOException {
        while (piece.readableBytes() < size) {
            int count = piece.writeBytes(file.channel(), at, size - piece.readableBytes());
            if (count < 0) {
                throw new IOException("the file has become shorter");
            }
            at += count;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
