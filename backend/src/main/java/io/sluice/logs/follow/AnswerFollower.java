package io.sluice.logs.follow;

import io.netty.buffer.ByteBuf;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Reader;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Somebody who follows over plain HTTP: the bytes, and a line of text in the place of those that are gone. */
final class AnswerFollower extends Follower {
    private final HttpServerResponse response;
    private final Promise<Void> over = Promise.promise();

    AnswerFollower(Tail tail, long offset, HttpServerResponse response) {
        super(tail, offset, 0);
        this.response = response;
        response.drainHandler(drained -> proceed());
        response.closeHandler(closed -> {
            leave();
            over.tryFail("the reader has gone");
        });
    }

    /** Counted from here: one that comes as a tail stops is made again for the next. */
    @Override
    void enter(Tail.Group group) {
        super.enter(group);
        tail().metrics().followers("answer").inc();
    }

    Future<Void> over() {
        return over.future()
                .onComplete(ended -> tail().metrics().followers("answer").dec());
    }

    @Override
    boolean hasRoom() {
        return !response.writeQueueFull();
    }

    @Override
    boolean takesFrames() {
        return false;
    }

    @Override
    void send(ByteBuf bytes) {
        write(BufferInternal.buffer(bytes));
    }

    private void write(Buffer bytes) {
        response.write(bytes).onFailure(over::tryFail);
    }

    @Override
    Wire.Piece read(Reader log, long from, int length) throws IOException {
        return Wire.bytes(log, from, length);
    }

    @Override
    void tell(Gaps.Gap gap) {
        write(Buffer.buffer(gap.asText()));
    }

    @Override
    void tellSkipped(long from, long to) {
        throw new IllegalStateException("nobody who follows over HTTP skips");
    }

    @Override
    void tellTime(ByteBuf frame) {}

    @Override
    void end(long size, @Nullable Integer exitCode) {
        response.end().onFailure(over::tryFail).onSuccess(sent -> over.tryComplete());
    }

    @Override
    void fail(String reason) {
        over.tryFail(reason);
    }
}
