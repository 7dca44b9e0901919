package io.sluice.files.sending;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory of all readers together for what is read of files and not yet sent. One half is shared as large pieces by whoever comes, the
 * other holds two small ones of each reader that there may be.
 */
public final class Pieces {
    static final int LARGEST = 2 << 20;
    static final int SMALLEST = 64 << 10;
    /** One is sent while the next is read. */
    private static final int EACH = 2;
    /** Of what is left nobody takes more than this part: the next reader finds room, too. */
    private static final int SHARE = 8;

    private final long most;
    private final Runnable lessened;
    private final AtomicLong taken = new AtomicLong();

    /** @param lessened run when a piece has to be smaller than it could be */
    public Pieces(long most, Runnable lessened) {
        this.most = most;
        this.lessened = lessened;
    }

    /** More readers than these are not to be let in. */
    public int readers() {
        return (int) Math.min(Integer.MAX_VALUE, most / 2 / EACH / SMALLEST);
    }

    public long taken() {
        return taken.get();
    }

    /** How many bytes of those that are wanted one may read now, and gives back when they have gone. */
    int take(long wanted) {
        int largest = (int) Math.min(wanted, LARGEST);
        int size = size(largest);
        if (size < largest) {
            lessened.run();
        }
        return size;
    }

    private int size(int largest) {
        while (true) {
            long now = taken.get();
            // in whole small ones, so that disks are read from where their pages begin
            long share = (most / 2 - now) / SHARE / SMALLEST * SMALLEST;
            int size = (int) Math.min(largest, Math.max(SMALLEST, share));
            if (taken.compareAndSet(now, now + size)) {
                return size;
            }
        }
    }

    void give(int size) {
        taken.addAndGet(-size);
    }
}
