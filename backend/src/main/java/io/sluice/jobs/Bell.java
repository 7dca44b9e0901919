package io.sluice.jobs;

import io.sluice.database.Doorbell;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Rings at every gateway, once for all that happens within a moment. It is not part of the statements that it tells of: the database lets
 * only one transaction with a ring commit at a time, and many submissions at once would wait for one another.
 */
final class Bell {
    private static final long MOMENT_MILLIS = 20;

    private final Vertx vertx;
    private final Doorbell doorbell;
    private final String topic;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final AtomicBoolean wanted = new AtomicBoolean();

    Bell(Vertx vertx, Doorbell doorbell, String topic) {
        this.vertx = vertx;
        this.doorbell = doorbell;
        this.topic = topic;
    }

    /** After what it tells of is committed. Callable from any thread. */
    void ring() {
        wanted.set(true);
        if (busy.compareAndSet(false, true)) {
            send();
        }
    }

    private void send() {
        wanted.set(false);
        // a ring that is lost is made up for: whoever listens looks now and then without one
        doorbell.ring(topic)
                .onComplete(rung -> vertx.setTimer(MOMENT_MILLIS, over -> {
                    busy.set(false);
                    if (wanted.get()) {
                        ring();
                    }
                }));
    }
}
