package io.sluice.jobs.data.care;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The disk's room. What is promised to one is nobody else's while it comes. */
public final class Room {
    /** How much the disk can take at this moment. */
    @FunctionalInterface
    public interface Free {
        long bytes() throws IOException;
    }

    private final Free free;
    /** By job, what still has to come of what was promised. */
    private final Map<Long, LongSupplier> promised = new HashMap<>();

    public Room(Free free) {
        this.free = free;
    }

    /** What no other job is promised. */
    public synchronized long bytes(long job) throws IOException {
        long others = promised.entrySet().stream()
                .filter(one -> one.getKey() != job)
                .mapToLong(one -> one.getValue().getAsLong())
                .sum();
        return Math.max(0, free.bytes() - others);
    }

    /**
     * Until its end is told.
     *
     * @param left how much of it still has to come
     * @return whether there is room for it
     */
    public synchronized boolean promise(long job, long bytes, LongSupplier left) throws IOException {
        boolean fits = bytes <= bytes(job);
        if (fits) {
            promised.put(job, left);
        }
        return fits;
    }

    public synchronized void end(long job) {
        promised.remove(job);
    }
}
