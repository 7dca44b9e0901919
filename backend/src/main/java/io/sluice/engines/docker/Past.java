package io.sluice.engines.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.wire.Daemon;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** What an engine remembers of its own life: nothing of before it began. */
final class Past extends ResultCallback.Adapter<Event> {

    /** So many events an engine keeps. */
    private static final int MOST = 256;

    private volatile Instant oldest = Instant.MAX;
    private final AtomicInteger count = new AtomicInteger();

    private Past() {}

    /** Whether the engine is still the one that was there then. One that has much to remember has forgotten, and passes for the same. */
    static Outages.Answer since(Daemon daemon, Instant then) {
        var past = daemon.ask("past", Daemon.SHORT, client -> {
            var events = new Past();
            client.eventsCmd()
                    .withSince("1")
                    .withUntil("" + Instant.now().getEpochSecond())
                    .exec(events);
            events.await();
            return events;
        });
        if (past.oldest.isBefore(then) || past.count.get() >= MOST) {
            return Outages.Answer.SAME;
        }
        var live = daemon.ask("info", Daemon.SHORT, client -> client.infoCmd().exec())
                .getRawValues()
                .get("LiveRestoreEnabled");
        return Boolean.TRUE.equals(live) ? Outages.Answer.TASKS_WENT_ON : Outages.Answer.BEGAN_ANEW;
    }

    private void await() {
        try {
            awaitCompletion();
        } catch (InterruptedException e) {
            throw new Unavailable("The engine does not tell what it remembers.", e);
        }
    }

    @Override
    public void onNext(Event event) {
        // to the whole second it would seem older than it is, and an engine that was back at once the one from before
        var nanos = event.getTimeNano();
        if (nanos != null && Instant.ofEpochSecond(0, nanos).isBefore(oldest)) {
            oldest = Instant.ofEpochSecond(0, nanos);
        }
        count.incrementAndGet();
    }
}
