package io.sluice.jobs.data.git;

import java.io.IOException;
import java.util.function.LongConsumer;

/** Room on the disk for a pack whose length nobody tells: a stretch more of it at a time, so that others are not promised what it fills. */
final class Reserved {
    private static final long LEAST = 1L << 20;
    private static final long STRETCH = 64L << 20;
    /** Once as it comes, and once unpacked. */
    private static final int COPIES = 2;

    private final Repositories.Room room;
    private final LongConsumer came;
    private final Wanted wanted;
    private volatile long held;
    private volatile long here;

    /** @param came hears how much has come */
    Reserved(Repositories.Room room, LongConsumer came, Wanted wanted) {
        this.room = room;
        this.came = came;
        this.wanted = wanted;
    }

    /** So much of it is here in all, and as much may be written next. */
    void have(long all, long next) throws IOException {
        here = all;
        came.accept(all);
        if (all + next > held) {
            held = all + next + Math.min(STRETCH, Math.max(LEAST, all));
            if (!room.promise(left(), this::left)) {
                throw new IOException("The disk of this gateway has no room for the pack of " + wanted + ", of which "
                        + (all >> 20)
                        + " MiB have come. Fetch it in the commands, delete something, or ask your administrator.");
            }
        }
    }

    private long left() {
        return Math.max(0, COPIES * held - here);
    }

    /** What is unpacked is there. */
    void end() throws IOException {
        room.promise(0, () -> 0);
    }
}
