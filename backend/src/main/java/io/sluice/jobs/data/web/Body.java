package io.sluice.jobs.data.web;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What a server sends, for a thread that waits for it. One piece is asked for at a time, so no more than that waits here. */
final class Body extends InputStream {
    private static final int NOTHING_SECONDS = 30;

    /** What comes out of a response. */
    private sealed interface Piece {
        record Some(Buffer bytes) implements Piece {}

        record End() implements Piece {}

        record Broken(Throwable why) implements Piece {}
    }

    private final HttpClientResponse response;
    private final Limits.Span span;
    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private Buffer piece = Buffer.buffer();
    private int at;
    private boolean ended;

    /** Where the response was given, before any of it can be lost. */
    Body(HttpClientResponse response, Limits.Span span) {
        this.span = span;
        this.response = response.pause();
        response.exceptionHandler(e -> pieces.add(new Piece.Broken(e)));
        response.handler(bytes -> pieces.add(new Piece.Some(bytes)));
        response.endHandler(end -> pieces.add(new Piece.End()));
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        while (at == piece.length() && !ended) {
            next();
        }
        if (at == piece.length()) {
            return -1;
        }
        int count = Math.min(length, piece.length() - at);
        piece.getBytes(at, at + count, bytes, offset);
        at += count;
        return count;
    }

    private void next() throws IOException {
        if (span.isOver()) {
            throw new IOException("there is no more time for it");
        }
        response.fetch(1);
        switch (awaited()) {
            case Piece.Some some -> {
                piece = some.bytes();
                at = 0;
            }
            case Piece.End end -> ended = true;
            case Piece.Broken broken ->
                throw new IOException(String.valueOf(broken.why().getMessage()), broken.why());
        }
    }

    private Piece awaited() throws IOException {
        try {
            Piece next = pieces.poll(NOTHING_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException("nothing came for " + NOTHING_SECONDS + " seconds");
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {
        if (!ended) {
            response.request().reset().onFailure(gone -> {});
        }
    }
}
