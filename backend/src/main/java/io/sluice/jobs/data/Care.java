package io.sluice.jobs.data;

import io.sluice.files.stores.StoreFault;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How often what fails is tried again, and whether it is wanted any more. */
final class Care {
    /**
     * How much patience there is.
     *
     * @param tries of the same before it has failed
     * @param pause after the first, twice as long after each further one
     */
    record Patience(int tries, Duration pause, Duration longest) {
        static final Patience USUAL = new Patience(10, Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    /** Nobody wants it any more. */
    static final class LeftOff extends IOException {
        private static final long serialVersionUID = 1;

        LeftOff() {
            super("left off");
        }
    }

    /** What may do at another time. */
    @FunctionalInterface
    interface Step<T> {
        T take() throws IOException;
    }

    private final Patience patience;
    private final Runnable again;
    private final CountDownLatch off = new CountDownLatch(1);

    /** @param again is run whenever something is tried again */
    Care(Patience patience, Runnable again) {
        this.patience = patience;
        this.again = again;
    }

    void leaveOff() {
        off.countDown();
    }

    void goOn() throws LeftOff {
        if (off.getCount() == 0) {
            throw new LeftOff();
        }
    }

    <T> T of(Step<T> step) throws IOException {
        Duration pause = patience.pause();
        for (int left = patience.tries(); ; left--) {
            goOn();
            try {
                return step.take();
            } catch (StoreFault fault) {
                if (left <= 1 || !fault.isPassing()) {
                    throw fault;
                }
            }
            again.run();
            rest(pause);
            pause = pause.multipliedBy(2).compareTo(patience.longest()) < 0
                    ? pause.multipliedBy(2)
                    : patience.longest();
        }
    }

    /** A moment, for others to be done. */
    void rest() throws LeftOff {
        rest(patience.pause());
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
