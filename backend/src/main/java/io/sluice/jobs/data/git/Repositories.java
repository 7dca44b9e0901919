package io.sluice.jobs.data.git;

import io.sluice.files.space.Removal;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.Source;
import io.sluice.jobs.data.web.WebLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.eclipse.jgit.util.SystemReader;

/** The door to repositories. One at a time is unpacked or read, since that takes memory. */
public final class Repositories {
    /** Of one commit; folders count as files do. */
    public static final int MOST_FILES = 1_000_000;

    private final WebLine line;
    private final int mostFiles;
    private final IntConsumer waiting;
    private final Semaphore turn = new Semaphore(1, true);

    /** @param waiting hears of each that waits for its turn, with 1, and with -1 when it has waited */
    public Repositories(WebLine line, int mostFiles, IntConsumer waiting) {
        this.line = line;
        this.mostFiles = mostFiles;
        this.waiting = waiting;
        SystemReader.setInstance(new Alone(SystemReader.getInstance()));
    }

    /** What the disk can take. */
    @FunctionalInterface
    public interface Room {
        /** Instead of what was promised before; whether there is room for it. */
        boolean promise(long bytes, LongSupplier left) throws IOException;
    }

    /**
     * @param scratch a folder of its own, that nobody else enters
     * @param room on the disk
     * @param came hears how much has come before it is counted
     */
    public Source source(String address, Path scratch, Room room, Care care, LongConsumer came) throws IOException {
        return new Clone(this, line, Wanted.of(address), scratch, room, care, came);
    }

    int mostFiles() {
        return mostFiles;
    }

    /** What a gateway that was killed has left of a scratch folder. */
    public static void forget(Path scratch) throws IOException {
        if (Files.exists(scratch)) {
            Removal.clear(scratch);
            Files.delete(scratch);
        }
    }

    /** What takes memory. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws IOException;
    }

    <T> T inTurn(Care care, Limits.Span span, Work<T> work) throws IOException {
        await(care, span);
        try {
            return work.run();
        } finally {
            turn.release();
        }
    }

    private void await(Care care, Limits.Span span) throws IOException {
        waiting.accept(1);
        try {
            while (!turn.tryAcquire(1, TimeUnit.SECONDS)) {
                care.goOn();
                span.check("Another repository is unpacked, and this one");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Sluice ends.", e);
        } finally {
            waiting.accept(-1);
        }
    }
}
