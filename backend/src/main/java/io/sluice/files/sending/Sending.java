package io.sluice.files.sending;

import io.netty.buffer.Unpooled;
import io.sluice.files.uploads.Receiving;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Files on their way out: while one piece goes over the line the next is read, and no more than that. */
public final class Sending {
    /** @param gone run when it has been sent, or will not be */
    public record Piece(Buffer bytes, Runnable gone) {
        public static Piece of(byte[] bytes) {
            return new Piece(BufferInternal.buffer(Unpooled.wrappedBuffer(bytes)), () -> {});
        }
    }

    /** Where the pieces come from; null at the end. */
    public interface Source extends Closeable {
        @Nullable
        Piece next() throws IOException;
    }

    private final Source source;
    private final Receiving.Worker worker;
    private final HttpServerResponse response;
    private final LongConsumer sent;
    private final Promise<Void> over = Promise.promise();
    /** What is open is another's by the next moment: nothing is closed that somebody still reads. */
    private Future<@Nullable Piece> reading = Future.succeededFuture();

    private Sending(Source source, Receiving.Worker worker, HttpServerResponse response, LongConsumer sent) {
        this.source = source;
        this.worker = worker;
        this.response = response;
        this.sent = sent;
    }

    /** @param sent told of each piece's bytes */
    public static Future<Void> send(
            Source source, Receiving.Worker worker, HttpServerResponse response, LongConsumer sent) {
        var sending = new Sending(source, worker, response, sent);
        response.setChunked(!response.headers().contains(HttpHeaders.CONTENT_LENGTH));
        response.closeHandler(closed -> sending.over.tryFail("the reader has gone"));
        sending.step(Future.succeededFuture());
        return sending.over
                .future()
                .eventually(() -> sending.reading.otherwiseEmpty())
                .eventually(() -> worker.after(() -> {
                    source.close();
                    return source;
                }));
    }

    /** @param line free when what was written last has gone */
    private void step(Future<Void> line) {
        reading = worker.after(source::next);
        reading.onFailure(over::tryFail)
                .onSuccess(piece -> line.onFailure(fault -> given(piece))
                        .onFailure(over::tryFail)
                        .onSuccess(free -> {
                            if (over.future().isComplete()) {
                                given(piece);
                                return;
                            }
                            if (piece == null) {
                                response.end().onFailure(over::tryFail).onSuccess(ended -> over.tryComplete());
                                return;
                            }
                            sent.accept(piece.bytes().length());
                            step(response.write(piece.bytes()).onComplete(written -> given(piece)));
                        }));
    }

    private static void given(@Nullable Piece piece) {
        if (piece != null) {
            piece.gone().run();
        }
    }
}
