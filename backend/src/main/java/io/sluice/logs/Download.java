package io.sluice.logs;

import io.sluice.logs.files.Bytes;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.LogFile;
import io.sluice.logs.files.Reader;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Bytes on their way into an answer: one piece is read, written, and only then the next is read. */
final class Download {
    private static final int PIECE = 256 << 10;

    /** Where the pieces come from; null at the end. */
    interface Source extends Closeable {
        @Nullable
        Buffer next() throws IOException;
    }

    /** Opened by the one who reads. */
    interface Opening {
        Source open() throws IOException;
    }

    private final Worker worker;
    private final HttpServerResponse response;
    private final Promise<Void> over = Promise.promise();

    private Download(Worker worker, HttpServerResponse response) {
        this.worker = worker;
        this.response = response;
    }

    static Future<Void> write(Opening opening, Worker worker, HttpServerResponse response) {
        var download = new Download(worker, response);
        response.setChunked(!response.headers().contains(HttpHeaders.CONTENT_LENGTH));
        return worker.run(opening::open).compose(source -> {
            response.closeHandler(closed -> download.over.tryFail("the reader has gone"));
            download.step(source);
            return download.over
                    .future()
                    .eventually(() -> worker.run(() -> {
                        source.close();
                        return null;
                    }));
        });
    }

    private void step(Source source) {
        worker.run(source::next).onFailure(over::tryFail).onSuccess(piece -> {
            if (piece == null) {
                response.end().onFailure(over::tryFail).onSuccess(sent -> over.tryComplete());
            } else if (!over.future().isComplete()) {
                response.write(piece).onFailure(over::tryFail).onSuccess(written -> step(source));
            }
        });
    }

    /** Bytes from one offset to another, with a line of text for what is gone. */
    static Source range(Log log, long from, long to) throws IOException {
        return new Range(log.open(), from, to);
    }

    /** The same, as a gzip file. */
    static Source compressing(Log log, long from, long to) throws IOException {
        Source plain = range(log, from, to);
        return new Source() {
            @Override
            public @Nullable Buffer next() throws IOException {
                Buffer piece = plain.next();
                if (piece == null) {
                    return null;
                }
                byte[] bytes = piece.getBytes();
                ByteBuffer member = LogFile.gzip(bytes, bytes.length);
                byte[] packed = new byte[member.remaining()];
                member.get(packed);
                return Buffer.buffer(packed);
            }

            @Override
            public void close() throws IOException {
                plain.close();
            }
        };
    }

    /** The file it is compressed in, as it is. */
    static Source whole(Log log, Path file) throws IOException {
        Bytes bytes = new LogFile(file).open();
        try {
            log.checkPresent();
        } catch (IOException | Problem gone) {
            bytes.close();
            throw gone;
        }
        return new Source() {
            private long offset;

            @Override
            public @Nullable Buffer next() throws IOException {
                byte[] piece = new byte[PIECE];
                int count = bytes.fill(offset, piece, piece.length);
                offset += count;
                return count == 0 ? null : Buffer.buffer(count).appendBytes(piece, 0, count);
            }

            @Override
            public void close() throws IOException {
                bytes.close();
            }
        };
    }

    private static final class Range implements Source {
        private final Reader reader;
        private final long to;
        private long offset;

        Range(Reader reader, long from, long to) {
            this.reader = reader;
            this.offset = from;
            this.to = to;
        }

        @Override
        public @Nullable Buffer next() throws IOException {
            if (offset >= to) {
                return null;
            }
            ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, to - offset));
            Gaps.Gap hole = reader.read(offset, piece);
            if (hole != null) {
                offset = Math.min(to, hole.to());
                return Buffer.buffer(hole.asText());
            }
            if (piece.position() == 0) {
                throw new IOException("the log has become shorter");
            }
            offset += piece.position();
            return Buffer.buffer(piece.position()).appendBytes(piece.array(), 0, piece.position());
        }

        @Override
        public void close() throws IOException {
            reader.close();
        }
    }
}
