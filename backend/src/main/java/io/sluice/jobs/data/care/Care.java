package io.sluice.jobs.data.care;

import io.sluice.database.Database;
import io.sluice.files.stores.StoreFault;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How often what fails is tried again, and whether it is wanted any more. */
public final class Care {
    /** Nobody wants it any more. */
    public static final class LeftOff extends IOException {
        private static final long serialVersionUID = 1;

        LeftOff() {
            super("left off");
        }
    }

    /** What may do at another time. */
    @FunctionalInterface
    public interface Step<T> {
        T take() throws IOException;
    }

    private final Pace pace;
    private final Runnable again;
    private final CountDownLatch off = new CountDownLatch(1);

    /** @param again is run whenever something is tried again */
    public Care(Pace pace, Runnable again) {
        this.pace = pace;
        this.again = again;
    }

    /** Whether it is a store or the database that does not do what it will do at another time. */
    public static boolean isPassing(Throwable fault) {
        return fault instanceof StoreFault away ? away.isPassing() : Database.isUnavailable(fault);
    }

    public void leaveOff() {
        off.countDown();
    }

    public void goOn() throws LeftOff {
        if (off.getCount() == 0) {
            throw new LeftOff();
        }
    }

    public <T> T of(Step<T> step) throws IOException {
        Duration pause = pace.pause();
        for (int left = pace.tries(); ; left--) {
            goOn();
            try {
                return step.take();
            } catch (IOException | RuntimeException fault) {
                if (left <= 1 || !isPassing(fault)) {
                    throw fault;
                }
            }
            again.run();
            rest(pause);
            pause = pause.multipliedBy(2).compareTo(pace.longest()) < 0 ? pause.multipliedBy(2) : pace.longest();
        }
    }

    /** A moment, for others to be done. */
    public void rest() throws LeftOff {
        rest(pace.pause());
    }

    private void rest(Duration pause) throws LeftOff {
        try {
            if (off.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LeftOff();
            }
        } catch (InterruptedException e) {
            throw new LeftOff();
        }
    }
}
