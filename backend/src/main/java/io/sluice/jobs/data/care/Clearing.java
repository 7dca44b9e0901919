package io.sluice.jobs.data.care;

import io.sluice.files.space.Removal;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Gives the disk its room back of what was taken away, beside whoever has taken it: the next job may need that room. */
public final class Clearing implements AutoCloseable {
    private static final System.Logger log = System.getLogger(Clearing.class.getName());

    /** Where what was taken away lies. */
    @FunctionalInterface
    public interface Left {
        Path folder() throws IOException;
    }

    private final Left left;
    /** One at a time. Who waits does it for all that come meanwhile. */
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            0,
            1,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(1),
            Thread.ofPlatform().name("sluice-data-cleared").daemon().factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    public Clearing(Left left) {
        this.left = left;
    }

    public void begin() {
        thread.execute(() -> {
            try {
                Removal.clear(left.folder());
            } catch (IOException | RuntimeException e) { // the file centre comes by again
                log.log(Level.WARNING, "data=not-cleared cause=\"{0}\"", e.getMessage());
            }
        });
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
