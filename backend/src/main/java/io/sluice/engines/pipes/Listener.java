package io.sluice.engines.pipes;

import io.vertx.core.Context;
import java.util.concurrent.RejectedExecutionException;

/** Whoever started a program, on their context. */
record Listener(Context context) {

    /** False when the gateway has stopped meanwhile: then there is nobody left to be told. */
    boolean tell(Runnable news) {
        try {
            context.runOnContext(now -> news.run());
            return true;
        } catch (RejectedExecutionException stopped) {
            return false;
        }
    }
}
