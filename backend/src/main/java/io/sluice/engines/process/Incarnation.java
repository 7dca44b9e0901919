package io.sluice.engines.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One life of one process. Process numbers come again, and so do start times after a restart of the machine; the three
 * together do not.
 *
 * @param start in clock ticks since the machine was booted
 */
record Incarnation(long pid, long start, String boot) {

    /** One of which nobody knows more than that it was before this machine was booted. */
    static final Incarnation FORGOTTEN = new Incarnation(Long.MAX_VALUE, 0, "");

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int START_FIELD = 19;
    private static final long LOOK_NANOS = 1_000_000;

    /** Read once: it changes only when this process is gone too. */
    private static final class Now {
        private static final String BOOT_ID = read();

        private static String read() {
            try {
                return Files.readString(BOOT).strip();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static String bootOfNow() {
        return Now.BOOT_ID;
    }

    /** The process that has this number now, unless it is a zombie. */
    static Optional<Incarnation> of(long pid) throws IOException {
        try {
            var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return fields[0].equals("Z") || fields[0].equals("X")
                    ? Optional.empty()
                    : Optional.of(new Incarnation(pid, Long.parseLong(fields[START_FIELD]), bootOfNow()));
        } catch (IOException e) {
            // ended before, or while, it was read; anything else would leave its state unknown
            if (Files.exists(Path.of("/proc/self/stat")) && !Files.exists(Path.of("/proc", Long.toString(pid)))) {
                return Optional.empty();
            }
            throw e;
        }
    }

    boolean lives() throws IOException {
        return of(pid).filter(this::equals).isPresent();
    }

    /** Asks it to end. Nobody else is asked. */
    void terminate() throws IOException {
        if (lives()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
        }
    }

    /** Ends it by force, and waits until it has gone; a zombie has, whether anybody reaps it or not. */
    void kill(Duration patience) throws IOException {
        if (lives()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
        for (long end = System.nanoTime() + patience.toNanos(); lives(); LockSupport.parkNanos(LOOK_NANOS)) {
            if (System.nanoTime() > end) {
                throw new IOException("process " + pid + " does not end");
            }
        }
    }
}
