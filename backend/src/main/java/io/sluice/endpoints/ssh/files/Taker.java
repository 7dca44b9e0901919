package io.sluice.endpoints.ssh.files;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Where what a client sends goes. */
public interface Taker {
    /** Answers when the bytes are kept here no longer, whatever became of them. */
    Future<Void> take(Buffer piece);

    /** Nothing more comes. */
    void end();
}
