package io.sluice.engines.pipes;

import io.sluice.engines.Engine.Unavailable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** So many programs run inside of an engine's tasks at once. */
public final class Limit {

    private static final int MOST = 128;

    private final IntConsumer gauge;
    private final AtomicInteger running = new AtomicInteger();

    /** @param gauge is told how many run */
    public Limit(IntConsumer gauge) {
        this.gauge = gauge;
    }

    /** @throws Unavailable when there are so many */
    public void take() {
        if (running.incrementAndGet() > MOST) {
            running.decrementAndGet();
            throw new Unavailable(
                    MOST + " programs run inside of tasks already. Close a terminal, or try again in a moment.", null);
        }
        gauge.accept(running.get());
    }

    public void free() {
        gauge.accept(running.decrementAndGet());
    }
}
