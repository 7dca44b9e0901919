package io.sluice.jobs.data.care;

import io.sluice.files.tree.Threads;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/** All that is moved one way. Inputs have one lane and outputs another, so that neither waits for the other. */
public final class Lane implements AutoCloseable {
    /** Jobs whose data is moved at the same time; the others wait. */
    private static final int ERRANDS = 8;
    /** Of one person's, so that nobody waits for that person's data alone. */
    private static final int ERRANDS_OF_ONE = 4;

    private static final int OBJECTS = ERRANDS * Crew.AT_ONCE;

    private final String way;
    private final ExecutorService errands;
    private final ExecutorService objects;
    private final Slots slots;

    public Lane(String way) {
        this.way = way;
        // nothing waits in their queues for long: no more is handed to them than they have threads
        this.errands = Threads.pool("sluice-data-" + way + "-", ERRANDS);
        this.objects = Threads.pool("sluice-data-" + way + "-objects-", OBJECTS);
        this.slots = new Slots(ERRANDS, ERRANDS_OF_ONE, errands);
    }

    public String way() {
        return way;
    }

    /** What its crews work on. */
    public Executor objects() {
        return objects;
    }

    /** When it is that person's turn. */
    public void take(long user, Runnable errand) {
        slots.take(user, errand);
    }

    @Override
    public void close() {
        slots.close();
        objects.shutdown();
    }
}
