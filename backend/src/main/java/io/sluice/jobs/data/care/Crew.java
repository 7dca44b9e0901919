package io.sluice.jobs.data.care;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Several objects of one input or output at the same time, not more than a few. The first that fails ends it for all. */
public final class Crew {
    public static final int AT_ONCE = 4;

    /** What is done with one of them. */
    @FunctionalInterface
    public interface Work {
        void run() throws IOException;
    }

    private final Executor threads;
    private final Semaphore room = new Semaphore(AT_ONCE);
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();

    public Crew(Executor threads) {
        this.threads = threads;
    }

    public void take(Work work) throws IOException {
        room.acquireUninterruptibly();
        if (failed.get() != null) {
            room.release();
            tell();
        }
        try {
            threads.execute(() -> {
                try {
                    work.run();
                } catch (Throwable e) { // whatever it is, who waits is told
                    failed.compareAndSet(null, e);
                } finally {
                    room.release();
                }
            });
        } catch (RuntimeException closed) {
            room.release();
            throw new Care.LeftOff();
        }
    }

    /** When all of them are over. */
    public void end() throws IOException {
        room.acquireUninterruptibly(AT_ONCE);
        room.release(AT_ONCE);
        tell();
    }

    private void tell() throws IOException {
        switch (failed.get()) {
            case null -> {}
            case IOException e -> throw e;
            case Throwable e -> throw new IOException(String.valueOf(e), e);
        }
    }
}
