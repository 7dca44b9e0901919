package io.sluice.files.sending;

import io.sluice.files.uploads.Receiving;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;

/** Work on whatever thread of Vert.x' is free. */
record Aside(Vertx vertx) implements Receiving.Worker {
    @Override
    public <T> Future<T> run(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    @Override
    public <T> Future<T> after(Callable<T> work) {
        return run(work);
    }
}
